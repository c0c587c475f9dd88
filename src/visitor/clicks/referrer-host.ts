import { withoutAddress } from "./address-host.ts";
import { ownText } from "./own-text.ts";

/** The host of a referring page: without credentials, and none rather than a part of it. */
const REFERRER_HOST = /^https?:\/\/(?:[^/?#\\]*@)?([^/?#@\\\s]{1,253})(?=[/?#]|$)/i;

/** What most browsers say to other sites: the origin alone. */
const ORIGIN = /^https?:\/\/[^/?#@\\\s]{1,253}\/?$/i;
const MAX_KNOWN = 500;

/** Hosts, by the origin that was said. What says more may tell of a person, and is not kept. */
const known = new Map<string, string>();

/** The host of the page that led here; empty when none is said. */
export function referrerHost(headers: Headers): string {
  const referrer = headers.get("Referer");
  if (!referrer) return "";
  return known.get(referrer) ?? hostOf(referrer);
}

function hostOf(referrer: string): string {
  const host = (REFERRER_HOST.exec(referrer)?.[1] ?? "").toLowerCase();
  const isKept = ORIGIN.test(referrer) && withoutAddress(host) === host;
  if (!isKept) return ownText(host, referrer);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(referrer, host);
  return host;
}
