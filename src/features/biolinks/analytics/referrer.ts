import { parse } from "tldts";

/** What is counted of dimensions that a link has too much of. Never a host's name. */
export const OTHER = "(other)";

/** In ASCII, as browsers write a host; what has other characters in it was made up. */
const HOST = /^[a-z0-9._-]{1,253}$/;

/**
 * Where visitors came from, as it is counted: of `news.bbc.co.uk:8080` the registrable domain,
 * `bbc.co.uk`; of hosts without one (IPv4 addresses, `localhost`, `github.io`) the whole, without
 * its port. Empty for what is no host's name.
 */
export function referrerOf(host: string): string {
  const bare = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (!HOST.test(bare)) return "";
  const { domain, isIp } = parse(bare, { allowPrivateDomains: true, extractHostname: false });
  return isIp ? bare : (domain ?? bare);
}

/** Cloudflare's two characters (`DE`, `T1`), or empty. */
export function countryOf(given: string): string {
  return /^[A-Z][A-Z0-9]$/.test(given) ? given : "";
}
