import { clientAddress, clientNetwork } from "../access/limits/client-address.ts";
import { type Env, platformSettings } from "../platform/config.ts";
import { isPassword } from "../platform/crypto/password.ts";
import { isPlatformHost, platformOrigin } from "../platform/platform-host.ts";
import type { Address } from "../platform/request-address.ts";
import { hostNameOf } from "../platform/web-url.ts";
import type { AddressDirectory, Found } from "./addresses/address.ts";
import { lookUp } from "./addresses/address-book.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { TooManyMisses } from "./addresses/miss-limits.ts";
import { countHit } from "./clicks/count-hit.ts";
import type { Hit } from "./clicks/hit.ts";
import { isCrawler, isPrefetch } from "./clicks/visitor-kind.ts";
import { UNKNOWN_VISITOR } from "./consent/may-fire.ts";
import { consentOf } from "./consent/visitor-consent.ts";
import { type Decision, decide, type Visit } from "./decide/decide.ts";
import type { VisitorLink } from "./decide/visitor-link.ts";
import { decideQrCode, type VisitorQrCode } from "./decide/visitor-qr-code.ts";
import { pageResponse, wantsJson } from "./pages.ts";
import { tellPixels } from "./pixel-events.ts";
import { readForm } from "./posted-form.ts";
import { PRIVACY_SLUG, servePrivacy } from "./privacy.ts";
import { domainKeyOf, slugKeyOf } from "./slug.ts";

/** What is counted of a visit besides its link. `host`: empty for the platform's. */
interface CameFrom extends Pick<Hit, "as"> {
  host: string;
  search: string;
}

const NO_LINK: CameFrom = { host: "", search: "", as: "visit" };

/** Serves a visitor of any host: a redirect, or a page. Never throws. */
export function visit(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
): Response | Promise<Response> {
  const isPlatform = isPlatformHost(env, url);
  const slugKey = slugKeyOf(url.pathname) ?? (isPlatform ? undefined : domainKeyOf(url.pathname));
  if (slugKey === undefined)
    return respond(request, env, ctx, { kind: "not_found" }, null, NO_LINK);
  const host = isPlatform ? "" : hostNameOf(url);
  const found = lookUp({ env, directory }, request, { host, slugKey });
  const { method } = request;
  if (slugKey === PRIVACY_SLUG) {
    return serveChoice(directory, request, method, env, ctx, url, isPlatform, found);
  }
  if (!(found instanceof Promise) && method !== "POST") {
    try {
      return serve(request, method, env, ctx, url, found);
    } catch (error) {
      return pageResponse(request, { kind: "unavailable" }, error);
    }
  }
  return serveLater(directory, request, method, env, ctx, url, found);
}

async function serveLater(
  directory: AddressDirectory,
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  found: Held | Promise<Held>,
): Promise<Response> {
  try {
    const entry = await found;
    if (method !== "POST" || !entry.link) return await serve(request, method, env, ctx, url, entry);
    return await servePost(directory, request, env, ctx, url, entry, entry.link);
  } catch (error) {
    return failed(request, error);
  }
}

function failed(request: Request, error: unknown): Promise<Response> {
  if (error instanceof TooManyMisses) {
    return pageResponse(request, { kind: "too_many_misses", waitSeconds: error.waitSeconds });
  }
  return pageResponse(request, { kind: "unavailable" }, error);
}

/** Where no link has been since before its slug was reserved, a visitor chooses whether pixels fire. */
async function serveChoice(
  directory: AddressDirectory,
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  isPlatform: boolean,
  found: Held | Promise<Held>,
): Promise<Response> {
  // Whoever wants to refuse is not kept waiting by a fault, which is logged where it happens.
  const held = await Promise.resolve(found).catch(() => undefined);
  const isFree = !held?.link || held.link.state === "paused";
  if (held && !(isFree && (isPlatform || held.workspaceId !== null))) {
    return serveLater(directory, request, method, env, ctx, url, held);
  }
  try {
    return await servePrivacy(request, env, url);
  } catch (error) {
    return failed(request, error);
  }
}

/**
 * A GET or HEAD: everything that is needed is at hand. Here each field that is read of a request
 * counts: it is not JavaScript's own.
 */
function serve(
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
): Response | Promise<Response> {
  const { link, qrCode } = entry;
  const as = method === "HEAD" ? "head" : isPrefetch(request.headers) ? "prefetch" : "visit";
  const from: CameFrom = { host: entry.asked.host, search: url.search, as };
  if (qrCode) return serveQrCode(request, method, env, ctx, url, entry, qrCode, from);
  const isUsual = link === null || (link.pixels.length === 0 && !(link.forwardQuery && url.search));
  if (isUsual && method === "GET" && as === "visit") {
    entry.usual ??= decide(link, plainVisit("GET", ""), entry.elsewhere);
    return respond(request, env, ctx, entry.usual, link, from);
  }
  const agent = request.headers.get("User-Agent") ?? "";
  const isProgram = isCrawler(agent) || wantsJson(request);
  const plain = plainVisit(method, url.search);
  const seen = {
    ...plain,
    isCrawler: isProgram || isEmbedded(request),
    isPrefetch: as === "prefetch",
    ...(link?.pixels.length && { consent: consentOf(request, env), eventId: newEventId() }),
  };
  return respond(request, env, ctx, decide(link, seen, entry.elsewhere), link, from);
}

/** What another site embeds brings no cookie: nobody can tell whether its visitor has refused. */
function isEmbedded({ headers }: Request): boolean {
  const isOfAnother = headers.get("Sec-Fetch-Site") === "cross-site";
  return isOfAnother && (headers.get("Sec-Fetch-Dest") ?? "document") !== "document";
}

/** A scan counts for its code. Where it leads, the target's own rules apply to the next request. */
function serveQrCode(
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
  { workspaceId, id, ...code }: VisitorQrCode,
  { host, search, as }: CameFrom,
): Response | Promise<Response> {
  const origin = isPlatformHost(env, url)
    ? platformOrigin(env, new URL(request.url))
    : platformOrigin(env);
  const decision = decideQrCode(code, { method, origin }, entry.elsewhere);
  if (decision.kind !== "redirect") return respond(request, env, ctx, decision, null, NO_LINK);
  const scanned = { workspaceId, subject: "qr_code", id, count: "scans", domain: host } as const;
  countHit(request, env, ctx, scanned, as, search);
  return redirectTo(decision);
}

/** A form that came back. The try is counted before the password is looked at. */
async function servePost(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
  link: VisitorLink,
): Promise<Response> {
  const posted = plainVisit("POST", url.search);
  const decision = decide(link, posted, entry.elsewhere);
  const from: CameFrom = { host: entry.asked.host, search: url.search, as: "visit" };
  if (decision.kind !== "password_form" && decision.kind !== "consent_form") {
    return respond(request, env, ctx, decision, link, from);
  }
  const form = await readForm(request);
  const consented = form.get("consent") === "yes";
  let password: Visit["password"] = "none";
  let current: Found = entry;
  if (link.hasPassword) {
    const attempts = env.PASSWORD_ATTEMPTS.getByName(link.id);
    const { headers } = request;
    const taken = await attempts.take(clientAddress(headers), clientNetwork(headers));
    const { allowed, waitSeconds, id } = taken;
    if (!allowed) return pageResponse(request, { kind: "too_many_tries", waitSeconds });
    // What is held may be older than the password: it opens what it is the password of.
    const found = await directory.findProtected(env, entry.asked);
    // A link that took the place of this one: no try was counted for it.
    if (found.link && found.link.id !== link.id)
      return respond(request, env, ctx, decide(found.link, posted, null), found.link, from);
    current = found;
    const isRight =
      found.hash !== null && (await isPassword(form.get("password") ?? "", found.hash));
    password = isRight ? "right" : "wrong";
    // If this is lost, one try of many is, and comes back by itself.
    if (password === "right" && id !== undefined) {
      ctx.waitUntil(attempts.markRight(id).catch(() => undefined));
    }
  }
  const answer = decide(current.link, { ...posted, password, consented }, current.elsewhere);
  return respond(request, env, ctx, answer, current.link, from);
}

function plainVisit(method: string, search: string): Visit {
  return {
    method,
    search,
    password: "none",
    consented: false,
    isCrawler: false,
    isPrefetch: false,
    consent: UNKNOWN_VISITOR,
    eventId: "",
  };
}

/** By chance alone: it says neither who nor when. */
function newEventId(): string {
  return crypto.randomUUID();
}

function respond(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  decision: Decision,
  link: VisitorLink | null,
  { host, search, as }: CameFrom,
): Response | Promise<Response> {
  if (decision.kind === "elsewhere") {
    return redirectTo({ ...decision, status: 302, cacheControl: "no-store" });
  }
  // With a wrong PLATFORM_HOST nobody knows whether there is such a link: that is no 404.
  if (decision.kind === "not_found") platformSettings.assert(env, "PLATFORM_HOST");
  if (decision.kind !== "redirect" && decision.kind !== "pixels") {
    return pageResponse(request, decision);
  }
  if (link) {
    const { workspaceId, id } = link;
    const followed = { workspaceId, subject: "link", id, count: "clicks", domain: host } as const;
    countHit(request, env, ctx, followed, as, search);
  }
  if (link && decision.told && as === "visit") tellPixels(request, env, ctx, link, decision.told);
  if (decision.kind === "pixels") return pageResponse(request, decision);
  return redirectTo(decision);
}

function redirectTo(to: { status: number; location: string; cacheControl: string }): Response {
  return new Response(null, {
    status: to.status,
    headers: {
      Location: to.location,
      "Cache-Control": to.cacheControl,
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
