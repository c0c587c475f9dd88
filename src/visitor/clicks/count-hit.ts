import type { Env } from "../../platform/config.ts";
import { now } from "../../platform/time.ts";
import { hasPrivacyControl } from "../consent/privacy-control.ts";
import type { Hit, HitSubject } from "./hit.ts";
import { HitBuffer } from "./hit-buffer.ts";
import { ownText } from "./own-text.ts";
import { referrerHost } from "./referrer-host.ts";
import { languageOf, utmOf } from "./visit-properties.ts";

const MAX_USER_AGENT = 256;

const buffer = new HitBuffer();

/** What led a visitor to a hit, where more is known of it than its own request says. */
export type LedBy = Pick<Hit, "referrer" | "utm">;

/**
 * Counts a hit of whatever is seen, followed or scanned, and of the product that a click leads to. It
 * is on the way of the answer, where each field that is read of a request counts: what can wait is
 * done when hits are sent, except a visitor's hash (see VisitorHashes) and a share of the packing (see
 * HitPacking). `led`: what led to it, or the request's query.
 */
export function countHit(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  subject: HitSubject,
  as: Hit["as"],
  led: string | LedBy,
  product?: string,
): void {
  const { headers } = request;
  const place = request.cf as { country?: string; regionCode?: string } | undefined;
  const said = headers.get("User-Agent") ?? "";
  const userAgent =
    said.length > MAX_USER_AGENT ? ownText(said.slice(0, MAX_USER_AGENT), said) : said;
  const agent = buffer.recall(userAgent);
  const mayBePerson = as === "visit" && !agent?.class.isCrawler;
  const hit: Hit = {
    workspaceId: subject.workspaceId,
    subject: subject.subject,
    id: subject.id,
    count: subject.count,
    domain: subject.domain,
    at: now(),
    as,
    country: place?.country ?? "",
    region: place?.regionCode ?? "",
    language: languageOf(headers.get("Accept-Language")),
    referrer: typeof led === "string" ? referrerHost(headers) : led.referrer,
    utm: typeof led === "string" ? utmOf(led) : led.utm,
    // The text that is held already, not the same one again: hits are held for seconds.
    userAgent: agent?.userAgent ?? userAgent,
    visitor: undefined,
    address: mayBePerson ? addressOf(headers) : undefined,
  };
  const sending = buffer.add(hit, agent, env);
  if (sending) ctx.waitUntil(sending);
  if (product === undefined) return;
  const sendingProduct = buffer.add({ ...hit, subject: "product", id: product }, agent, env);
  if (sendingProduct) ctx.waitUntil(sendingProduct);
}

/** Undefined of who says (Global Privacy Control) not to be followed: that one is no visitor. */
function addressOf(headers: Headers): string | undefined {
  if (hasPrivacyControl(headers)) return undefined;
  return headers.get("CF-Connecting-IP") ?? "";
}
