import { clientAddress, clientNetwork } from "../access/limits/client-address.ts";
import { readBody } from "../api/request-body.ts";
import { toText } from "../platform/bytes.ts";
import { type Env, platformSettings } from "../platform/config.ts";
import { isPassword } from "../platform/crypto/password.ts";
import { isPlatformHost, platformOrigin } from "../platform/platform-host.ts";
import type { Address } from "../platform/request-address.ts";
import { now } from "../platform/time.ts";
import { hostNameOf } from "../platform/web-url.ts";
import type { AddressDirectory, Found } from "./addresses/address.ts";
import { lookUp } from "./addresses/address-book.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { TooManyMisses } from "./addresses/miss-limits.ts";
import { ClickBuffer } from "./clicks/click-buffer.ts";
import type { Click } from "./clicks/click-packet.ts";
import { isCrawler, isPrefetch } from "./clicks/visitor-kind.ts";
import { type Decision, decide, type Visit } from "./decide/decide.ts";
import type { VisitorLink } from "./decide/visitor-link.ts";
import { decideQrCode } from "./decide/visitor-qr-code.ts";
import { pageResponse, wantsJson } from "./pages.ts";
import { domainKeyOf, slugKeyOf } from "./slug.ts";

const MAX_USER_AGENT = 256;
/** The host of a referring page: without credentials, and none rather than a part of it. */
const REFERRER_HOST = /^https?:\/\/(?:[^/?#\\]*@)?([^/?#@\\\s]{1,253})(?=[/?#]|$)/i;

const clicks = new ClickBuffer();

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
  if (slugKey === undefined) return respond(request, env, ctx, { kind: "not_found" }, null);
  const host = isPlatform ? "" : hostNameOf(url);
  const found = lookUp({ env, directory }, request, { host, slugKey });
  const { method } = request;
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
    if (error instanceof TooManyMisses) {
      return pageResponse(request, { kind: "too_many_misses", waitSeconds: error.waitSeconds });
    }
    return pageResponse(request, { kind: "unavailable" }, error);
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
  if (qrCode) {
    const origin = isPlatformHost(env, url)
      ? platformOrigin(env, new URL(request.url))
      : platformOrigin(env);
    const decision = decideQrCode(qrCode, { method, origin }, entry.elsewhere);
    return respond(request, env, ctx, decision, null);
  }
  const as = method === "HEAD" ? "head" : isPrefetch(request.headers) ? "prefetch" : "visit";
  const isUsual = link === null || (link.pixels.length === 0 && !(link.forwardQuery && url.search));
  if (isUsual && method === "GET" && as === "visit") {
    entry.usual ??= decide(link, plainVisit("GET", ""), entry.elsewhere);
    return respond(request, env, ctx, entry.usual, link);
  }
  const agent = request.headers.get("User-Agent") ?? "";
  const isProgram = isCrawler(agent) || wantsJson(request);
  const plain = plainVisit(method, url.search);
  const seen = { ...plain, isCrawler: isProgram, isPrefetch: as === "prefetch" };
  return respond(request, env, ctx, decide(link, seen, entry.elsewhere), link, as);
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
  if (decision.kind !== "password_form" && decision.kind !== "consent_form") {
    return respond(request, env, ctx, decision, link);
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
      return respond(request, env, ctx, decide(found.link, posted, null), found.link);
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
  return respond(request, env, ctx, answer, current.link);
}

function plainVisit(method: string, search: string): Visit {
  return {
    method,
    search,
    password: "none",
    consented: false,
    isCrawler: false,
    isPrefetch: false,
  };
}

function respond(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  decision: Decision,
  link: VisitorLink | null,
  as: Click["as"] = "visit",
): Response | Promise<Response> {
  if (decision.kind === "elsewhere") {
    return redirectTo({ ...decision, status: 302, cacheControl: "no-store" });
  }
  // With a wrong PLATFORM_HOST nobody knows whether there is such a link: that is no 404.
  if (decision.kind === "not_found") platformSettings.assert(env, "PLATFORM_HOST");
  if (decision.kind !== "redirect" && decision.kind !== "pixels") {
    return pageResponse(request, decision);
  }
  if (link) countClick(request, env, ctx, link, as);
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

function countClick(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  link: VisitorLink,
  as: Click["as"],
): void {
  const { headers } = request;
  const sending = clicks.add(
    {
      workspaceId: link.workspaceId,
      linkId: link.id,
      at: now(),
      as,
      country: (request.cf?.country as string | undefined) ?? "",
      userAgent: (headers.get("User-Agent") ?? "").slice(0, MAX_USER_AGENT),
      referrer: REFERRER_HOST.exec(headers.get("Referer") ?? "")?.[1]?.toLowerCase() ?? "",
    },
    env.CLICKS,
  );
  if (sending) ctx.waitUntil(sending);
}

/** The fields of a posted form; of one too large, none. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBody(request);
  return new URLSearchParams(bytes && toText(bytes));
}
