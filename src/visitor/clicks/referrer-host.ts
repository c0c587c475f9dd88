/** The host of a referring page: without credentials, and none rather than a part of it. */
const REFERRER_HOST = /^https?:\/\/(?:[^/?#\\]*@)?([^/?#@\\\s]{1,253})(?=[/?#]|$)/i;

/** The host of the page that led here; empty when none is said. */
export function referrerHost(headers: Headers): string {
  const referrer = headers.get("Referer");
  return referrer ? (REFERRER_HOST.exec(referrer)?.[1]?.toLowerCase() ?? "") : "";
}
