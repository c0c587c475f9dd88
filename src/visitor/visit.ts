import type { Env } from "../platform/config.ts";
import { isPlatformHost } from "../platform/platform-host.ts";
import type { Address } from "../platform/request-address.ts";
import { hostNameOf } from "../platform/web-url.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import { lookUp, lookUpAgain, nameByUrl } from "./addresses/address-book.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { TooManyMisses } from "./addresses/miss-limits.ts";
import { isCrawler, isEmbedded, isPrefetch } from "./clicks/visitor-kind.ts";
import { consentOf } from "./consent/visitor-consent.ts";
import { decide, plainVisit } from "./decide/decide.ts";
import { pageResponse, wantsJson } from "./pages.ts";
import { UnreadForm } from "./posted-form.ts";
import { PRIVACY_SLUG, servePrivacy } from "./privacy.ts";
import { serveReport } from "./report.ts";
import { REPORT_SLUG } from "./reports/report-path.ts";
import { domainKeyOf, pageKeyOf, slugKeyOf } from "./slug.ts";
import { type CameFrom, NO_LINK, respond } from "./visit-answer.ts";
import { servePost } from "./visit-form.ts";
import { servePage } from "./visit-page.ts";
import { servePagePost } from "./visit-page-form.ts";
import { serveQrCode } from "./visit-qr-code.ts";

/**
 * Serves who visits a link under a URL that it was visited under before; undefined: visit() is to.
 * Most visits are such. Never throws.
 */
export function visitAgain(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Response | Promise<Response> | undefined {
  const entry = lookUpAgain(request.url);
  if (!entry?.link) return undefined;
  const { method } = request;
  if (method === "POST") return undefined;
  try {
    return serveLink(request, method, env, ctx, entry, cameTo(request, method, entry, ""));
  } catch (error) {
    return pageResponse(request, { kind: "unavailable" }, error);
  }
}

/** Serves a visitor of any host: a redirect, or a page. Never throws. */
export function visit(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
): Response | Promise<Response> {
  const isPlatform = isPlatformHost(env, url);
  const { pathname } = url;
  const slugKey =
    slugKeyOf(pathname) ?? pageKeyOf(pathname) ?? (isPlatform ? undefined : domainKeyOf(pathname));
  if (slugKey === undefined)
    return respond(request, env, ctx, { kind: "not_found" }, null, NO_LINK);
  const host = isPlatform ? "" : hostNameOf(url);
  const found = lookUp({ env, directory }, request, { host, slugKey });
  const { method } = request;
  if (slugKey === PRIVACY_SLUG || slugKey === REPORT_SLUG) {
    const own = () =>
      slugKey === PRIVACY_SLUG
        ? servePrivacy(request, env, url)
        : serveReport(directory, request, env, url, host);
    return serveOwn(directory, request, method, env, ctx, url, isPlatform, found, own);
  }
  if (!(found instanceof Promise) && method !== "POST") {
    if (found.link && !url.search) nameByUrl(request.url, found);
    try {
      return serve(directory, request, method, env, ctx, url, found);
    } catch (error) {
      return pageResponse(request, { kind: "unavailable" }, error);
    }
  }
  return serveLater(directory, request, method, env, ctx, url, found);
}

/** Serves what is the platform's own, unless a link has had its path since before it was reserved. */
export function visitOrOwn(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  own: () => Promise<Response>,
): Promise<Response> {
  const slugKey = slugKeyOf(url.pathname);
  if (slugKey === undefined) return own();
  const found = lookUp({ env, directory }, request, { host: "", slugKey });
  return serveOwn(directory, request, request.method, env, ctx, url, true, found, own);
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
    if (method === "POST" && entry.page) {
      return await servePagePost(directory, request, env, ctx, url, entry, entry.page);
    }
    if (method !== "POST" || !entry.link)
      return await serve(directory, request, method, env, ctx, url, entry);
    return await servePost(directory, request, env, ctx, url, entry, entry.link);
  } catch (error) {
    return failed(request, error);
  }
}

function failed(request: Request, error: unknown): Promise<Response> {
  if (error instanceof TooManyMisses) {
    return pageResponse(request, { kind: "too_many_misses", waitSeconds: error.waitSeconds });
  }
  // A form that did not arrive: whoever sent it is told so, and no log.
  if (error instanceof UnreadForm) {
    return pageResponse(request, { kind: "form_unreadable", status: error.status });
  }
  return pageResponse(request, { kind: "unavailable" }, error);
}

/** A page of our own for visitors, where no link has been since before its slug was reserved. */
async function serveOwn(
  directory: AddressDirectory,
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  isPlatform: boolean,
  found: Held | Promise<Held>,
  own: () => Promise<Response>,
): Promise<Response> {
  // Whoever wants to refuse is not kept waiting by a fault, which is logged where it happens.
  const held = await Promise.resolve(found).catch(() => undefined);
  const isFree = held?.link?.state !== "live";
  if (held && !(isFree && (isPlatform || held.workspaceId !== null))) {
    return serveLater(directory, request, method, env, ctx, url, held);
  }
  try {
    return await own();
  } catch (error) {
    return failed(request, error);
  }
}

/**
 * A GET or HEAD: everything that is needed is at hand. Here each field that is read of a request
 * counts: it is not JavaScript's own.
 */
function serve(
  directory: AddressDirectory,
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
): Response | Promise<Response> {
  const { qrCode, page } = entry;
  const from = cameTo(request, method, entry, url.search);
  if (qrCode) return serveQrCode(request, method, env, ctx, url, entry, qrCode, from);
  if (page) return servePage(directory, request, method, env, ctx, url, entry, page, from);
  return serveLink(request, method, env, ctx, entry, from);
}

function cameTo(request: Request, method: string, entry: Held, search: string): CameFrom {
  const as = method === "HEAD" ? "head" : isPrefetch(request.headers) ? "prefetch" : "visit";
  return { host: entry.asked.host, search, as };
}

function serveLink(
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  entry: Held,
  from: CameFrom,
): Response | Promise<Response> {
  const { link } = entry;
  const { search, as } = from;
  const isUsual = link === null || (link.pixels.length === 0 && !(link.forwardQuery && search));
  if (isUsual && method === "GET" && as === "visit") {
    entry.usual ??= decide(link, plainVisit("GET", ""), entry.elsewhere);
    return respond(request, env, ctx, entry.usual, link, from);
  }
  const agent = request.headers.get("User-Agent") ?? "";
  const isProgram = isCrawler(agent) || wantsJson(request);
  const plain = plainVisit(method, search);
  const seen = {
    ...plain,
    isCrawler: isProgram || isEmbedded(request),
    isPrefetch: as === "prefetch",
    ...(link?.pixels.length && { consent: consentOf(request, env), eventId: crypto.randomUUID() }),
  };
  return respond(request, env, ctx, decide(link, seen, entry.elsewhere), link, from);
}
