const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:", "sms:"]);
/** A place on the page's own host, or on the page; never `//host` or `/\host`. */
const OWN = /^(?:$|#|\/(?![/\\]))/;

/** An address that a browser may follow, else `#`. Schemas refuse others: this is the second lock. */
export function safeAddress(address: string): string {
  if (OWN.test(address)) return address;
  const url = URL.parse(address);
  return url && SCHEMES.has(url.protocol) ? address : "#";
}

/** Whether a click on it is counted: the others the browser hands on to another program. */
export function isWebAddress(address: string): boolean {
  return /^https?:/i.test(address);
}
