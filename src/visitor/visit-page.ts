import type { Env } from "../platform/config.ts";
import type { Address } from "../platform/request-address.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import type { Held } from "./addresses/held-addresses.ts";
import { type Below, readBelow } from "./bio-pages/below-page.ts";
import { isOpenedBy, type KeptOpening, openedIn } from "./bio-pages/opened-page.ts";
import { serveDownload } from "./bio-pages/page-download.ts";
import { answerPage } from "./bio-pages/page-response.ts";
import type { VisitorBioPage } from "./bio-pages/published-page.ts";
import { countHit } from "./clicks/count-hit.ts";
import { isCrawler, isEmbedded } from "./clicks/visitor-kind.ts";
import { consentOf, isSecure } from "./consent/visitor-consent.ts";
import { type Barrier, barrierTo, plainVisit } from "./decide/decide.ts";
import { decidePagePixels, NO_PIXELS, type PagePixels } from "./decide/page-pixels.ts";
import { findPagePassword } from "./page-passwords.ts";
import { pageResponse, wantsJson } from "./pages.ts";
import { tellPixels } from "./pixel-events.ts";
import { belowPage } from "./slug.ts";
import { type CameFrom, NO_LINK, respond } from "./visit-answer.ts";
import { followBlock } from "./visit-page-click.ts";

/** A page to whoever reads it, and what lies below it: clicks, and what is saved of its blocks. */
export function servePage(
  directory: AddressDirectory,
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
  entry: Held,
  page: VisitorBioPage,
  from: CameFrom,
): Response | Promise<Response> {
  const rest = belowPage(url.pathname);
  const below = rest === "" ? undefined : readBelow(rest);
  if (rest !== "" && !below) return nothingBelow(request, method, env, ctx, entry.elsewhere);
  const barrier = barrierTo(page, plainVisit(method, ""), entry.elsewhere);
  if (!barrier) return showPage(directory, request, env, ctx, entry, page, below, from);
  // Who comes from this very host may have just opened it, without keeping the cookie.
  const wasHere = request.headers.get("Sec-Fetch-Site") === "same-origin";
  const asked = isForm(barrier) ? { ...barrier, wasHere } : barrier;
  const closed = () => respond(request, env, ctx, asked, null, NO_LINK);
  const kept = isForm(barrier) && openedIn(cookiesOf(request), page.id, isSecure(request));
  if (!kept) return closed();
  const open = { isOnce: true };
  return isOpened(directory, env, entry, page, kept).then(
    (is) =>
      is ? showPage(directory, request, env, ctx, entry, page, below, from, open) : closed(),
    (error) => pageResponse(request, { kind: "unavailable" }, error),
  );
}

/** Whether a barrier is a form that may be posted. */
export function isForm(
  barrier: Barrier,
): barrier is Extract<Barrier, { kind: "password_form" | "consent_form" }> {
  return barrier.kind === "password_form" || barrier.kind === "consent_form";
}

function cookiesOf({ headers }: Request): string {
  return headers.get("Cookie") ?? "";
}

/** Whether the page's password, the one that it has now, let this visitor in before. */
export async function wasOpened(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  entry: Held,
  page: VisitorBioPage,
): Promise<boolean> {
  const kept = openedIn(cookiesOf(request), page.id, isSecure(request));
  return kept !== undefined && isOpened(directory, env, entry, page, kept);
}

/** What is held may be older than the password: the page opens by the one that it had a second ago. */
async function isOpened(
  directory: AddressDirectory,
  env: Env,
  entry: Held,
  page: VisitorBioPage,
  kept: KeptOpening,
): Promise<boolean> {
  if (!page.hasPassword) return isOpenedBy(env, page.id, null, kept);
  const { pageId, isLive, hash } = await findPagePassword(directory, env, entry);
  return pageId === page.id && isLive && isOpenedBy(env, page.id, hash, kept);
}

/** What nothing keeps its visitor from. `isOnce`: nobody may keep it, as a form opened it. */
export function showPage(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  { elsewhere }: Pick<Held, "elsewhere">,
  page: VisitorBioPage,
  below: Below | undefined,
  from: CameFrom,
  { isOnce = false } = {},
): Response | Promise<Response> {
  const { method } = request;
  if (!below) {
    if (from.as === "visit") countView(request, env, ctx, page, from);
    const pixels = pixelsAt(request, env, page, from);
    if (pixels.told && from.as === "visit") tellPixels(request, env, ctx, page, pixels.told);
    const answer = answerPage(request, env, page.published, { isOnce, pixels, pageId: page.id });
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error) => pageResponse(request, { kind: "unavailable" }, error));
  }
  const nothing = () => nothingBelow(request, method, env, ctx, elsewhere);
  if (below.kind === "download") {
    return serveDownload(request, env, page.published, below.name) ?? nothing();
  }
  return followBlock(directory, request, env, ctx, { ...below, page }, from).then(
    (answer) => answer ?? nothing(),
    (error) => pageResponse(request, { kind: "unavailable" }, error),
  );
}

/** What the page's pixels do: nothing where no person reads it, and where it was drawn without them. */
function pixelsAt(
  request: Request,
  env: Env,
  { pixels, published }: VisitorBioPage,
  { as }: CameFrom,
): PagePixels {
  const last = published.parts.find((part) => typeof part === "object" && part.kind === "pixels");
  if (pixels.length === 0 || !last || as === "prefetch") return NO_PIXELS;
  const agent = request.headers.get("User-Agent") ?? "";
  const isSeen = !isCrawler(agent) && !wantsJson(request) && !isEmbedded(request);
  const consent = consentOf(request, env);
  return decidePagePixels(pixels, { isSeen, consent, eventId: crypto.randomUUID() });
}

/** A view of a page. Who fetches it ahead, or asks for its head, has not seen it. */
function countView(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  { workspaceId, id }: VisitorBioPage,
  { host, search }: CameFrom,
): void {
  const seen = { workspaceId, subject: "page", id, count: "views", domain: host } as const;
  countHit(request, env, ctx, seen, "visit", search);
}

function nothingBelow(
  request: Request,
  method: string,
  env: Env,
  ctx: ExecutionContext,
  elsewhere: string | null,
): Response | Promise<Response> {
  const missing = barrierTo(null, plainVisit(method, ""), elsewhere) ?? { kind: "not_found" };
  return respond(request, env, ctx, missing, null, NO_LINK);
}
