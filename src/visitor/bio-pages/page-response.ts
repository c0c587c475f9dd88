import { isKnown, toEtag } from "../../api/etag.ts";
import { toBytes } from "../../platform/bytes.ts";
import type { Env } from "../../platform/config.ts";
import { addressOf } from "../../platform/request-address.ts";
import { now } from "../../platform/time.ts";
import { withoutAddress } from "../clicks/address-host.ts";
import { referrerHost } from "../clicks/referrer-host.ts";
import { utmOf } from "../clicks/visit-properties.ts";
import { NO_PIXELS, type PagePixels } from "../decide/page-pixels.ts";
import { type FormVisit, signFormToken } from "./form-token.ts";
import { audienceOf, conditionalBlocks } from "./page-audience.ts";
import {
  type Audience,
  formsShown,
  isDuring,
  isVisible,
  joinParts,
  momentsOf,
  type PagePart,
} from "./page-parts.ts";
import type { PublishedPage } from "./published-page.ts";

/** Kept by its visitor alone, and asked for again each time, which costs 304: so it is never old. */
const REVALIDATED = "private, no-cache";

/** What a page was sent as last: most visitors are shown the same blocks. */
interface Sent {
  tag: string;
  body: Uint8Array;
}
const lastSent = new WeakMap<PublishedPage, Sent>();
const moments = new WeakMap<PublishedPage, number[]>();

/** What a form that is shown again keeps of the visit that it was shown to first. */
export type Opened = Omit<FormVisit, "version" | "digest">;

interface Answering {
  /** Nobody may keep it, as a form or a password opened it. */
  isOnce?: boolean;
  isHidden?: boolean;
  pixels?: PagePixels;
  /** Of a page whose forms can be sent: a preview's cannot. */
  pageId?: string;
  /** Of a form that is shown again. */
  opened?: Opened;
  status?: number;
}

/** A page as its visitor is shown it. */
export function answerPage(
  request: Request,
  env: Env,
  page: PublishedPage,
  answering: Answering = {},
): Response | Promise<Response> {
  const { isOnce = false, pixels = NO_PIXELS } = answering;
  if (page.parts.some(hasToken)) {
    const audience = audienceOf(request, env, conditionalBlocks(page.parts));
    const forms = formsShown(page.parts, audience);
    if (forms.length > 0) return answerWithForms(request, env, page, answering, audience, forms);
  }
  const { tag, body } = sentTo(request, env, page, pixels);
  // A beacon is of this visit alone.
  const isKept = !isOnce && pixels.beacons.length === 0;
  return respondWith(request, page, answering, body, isKept ? tag : undefined);
}

/**
 * A page with a form that is shown: kept by nobody, as its token is this visit's alone. Of an answer
 * that is kept, the second sending would count as the first once more.
 */
async function answerWithForms(
  request: Request,
  env: Env,
  page: PublishedPage,
  answering: Answering,
  audience: Audience,
  forms: string[],
): Promise<Response> {
  const { pageId, opened, pixels = NO_PIXELS } = answering;
  const tokens = new Map<string, string>();
  for (const blockId of forms) {
    if (pageId === undefined) break;
    const digest = page.forms?.[blockId]?.digest ?? "";
    const visit = { ...visitOf(request), ...opened, version: page.version ?? 0, digest };
    tokens.set(blockId, await signFormToken(env, { pageId, blockId }, visit));
  }
  const html = htmlOf(page, audience, pixels, (blockId) => tokens.get(blockId) ?? "");
  return respondWith(request, page, answering, toBytes(html), undefined);
}

/** What a form's token says of the visit that shows it. */
function visitOf(request: Request): Opened {
  const { search } = addressOf(request.url);
  return {
    openedAt: now(),
    nonce: crypto.randomUUID(),
    referrer: withoutAddress(referrerHost(request.headers)),
    utm: search ? utmOf(search) : "",
  };
}

/** `tag`: of an answer that its visitor may keep. */
function respondWith(
  request: Request,
  page: PublishedPage,
  { isOnce = false, isHidden = false, pixels = NO_PIXELS, status = 200 }: Answering,
  body: Uint8Array,
  tag: string | undefined,
): Response {
  const headers: Record<string, string> = {
    "Cache-Control": tag === undefined ? "no-store" : REVALIDATED,
    "Content-Security-Policy": contentSecurityPolicy(page, pixels.beacons),
    "X-Frame-Options": "DENY",
    // The path of a page that asks for a password, or is a preview, is half of what opens it.
    "Referrer-Policy": isOnce ? "no-referrer" : "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": crypto.randomUUID(),
  };
  if (page.noindex || isHidden || isEmptyNow(page)) headers["X-Robots-Tag"] = "noindex";
  if (tag !== undefined) {
    headers.ETag = toEtag(tag);
    // With all that guards what is kept: its guards may be older than these.
    if (isKnown(request.headers.get("If-None-Match"), tag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  headers["Content-Type"] = "text/html; charset=utf-8";
  return new Response(request.method === "HEAD" ? null : body, { status, headers });
}

/** Whether all that it shows is yet to come, or over. To whom it is shown then is not asked. */
function isEmptyNow({ filledDuring }: PublishedPage): boolean {
  if (!filledDuring) return false;
  const time = now();
  return !filledDuring.some((times) => isDuring(times, time));
}

function sentTo(request: Request, env: Env, page: PublishedPage, pixels: PagePixels): Sent {
  const blocks = conditionalBlocks(page.parts);
  const audience = audienceOf(request, env, blocks);
  const shown = blocks.map(({ visibility }) => (isVisible(visibility, audience) ? "1" : "0"));
  const passed = momentsPassed(page, audience.now);
  const tag = [
    page.hash,
    ...(shown.length > 0 ? [shown.join("")] : []),
    ...(passed ? [passed] : []),
    ...(pixels.asks ? ["asks"] : []),
  ].join("-");
  const isOwn = pixels.beacons.length > 0;
  const last = lastSent.get(page);
  if (last?.tag === tag && !isOwn) return last;
  const html = htmlOf(page, audience, pixels, () => "");
  const sent = { tag, body: toBytes(html) };
  if (!isOwn) lastSent.set(page, sent);
  return sent;
}

function htmlOf(
  { parts }: PublishedPage,
  audience: Audience,
  { beacons, asks }: PagePixels,
  tokenOf: (blockId: string) => string,
): string {
  const images = beacons.map(beaconImage).join("");
  return joinParts(parts, audience, tokenOf, ({ bar }) => (asks ? bar : "") + images);
}

/** Providers attribute a visit by its host, so they are told that much, and no more. */
function beaconImage(address: string): string {
  const src = address.replaceAll("&", "&amp;");
  return `<img class="px" src="${src}" alt="" width="1" height="1" referrerpolicy="strict-origin">`;
}

/** Which of the page's moments are over, as a text: none, where it has no moments. */
function momentsPassed(page: PublishedPage, now: number): string {
  const times = moments.get(page) ?? momentsOf(page.parts);
  moments.set(page, times);
  return times.length === 0 ? "" : `m${times.filter((time) => time <= now).length}`;
}

/** Whether a visit fills something in. */
function hasToken(part: PagePart): boolean {
  if (typeof part === "string") return false;
  if (part.kind === "pixels") return false;
  if (part.kind === "moment") return false;
  return part.kind === "form_token" || part.content.some(hasToken);
}

/** Nothing but what the page itself brings, its beacons, and after a click what its embeds load. */
function contentSecurityPolicy(page: PublishedPage, beacons: string[]): string {
  const { styleHash, scripts, frames, formTargets = [] } = page;
  const images = new Set(["'self'", ...beacons.map((beacon) => new URL(beacon).origin)]);
  return [
    "default-src 'none'",
    `style-src ${styleHash}`,
    `img-src ${[...images].join(" ")}`,
    ...(scripts.length > 0 ? [`script-src ${sourcesOf(scripts)}`] : []),
    ...(frames.length > 0 ? [`frame-src ${frames.join(" ")}`] : []),
    // Browsers hold the redirect that answers a form to it, too, and all redirects after that one.
    `form-action 'self'${formTargets.length > 0 ? " https:" : ""}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function sourcesOf(scripts: readonly string[]): string {
  const sources = scripts.map((script) =>
    script.startsWith("/") ? "'self'" : new URL(script).origin,
  );
  return [...new Set(sources)].join(" ");
}
