import { parse } from "tldts";
import { ADDRESS, withoutAddress } from "../../../visitor/clicks/address-host.ts";

/** What is counted of dimensions that a link has too much of. Never a host's name. */
export const OTHER = "(other)";

/** In ASCII, as browsers write a host; what has other characters in it was made up. */
const HOST = /^[a-z0-9._-]{1,253}$/;

/**
 * Where visitors came from, as it is counted: of `news.bbc.co.uk:8080` the registrable domain,
 * `bbc.co.uk`; of hosts without one (`localhost`, `github.io`) the whole, without its port; of IP
 * addresses `(address)`. Empty for what is no host's name.
 */
export function referrerOf(host: string): string {
  if (withoutAddress(host) === ADDRESS) return ADDRESS;
  const bare = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (!HOST.test(bare)) return "";
  return parse(bare, { allowPrivateDomains: true, extractHostname: false }).domain ?? bare;
}

/** Cloudflare's two characters (`DE`, `T1`), or empty. */
export function countryOf(given: string): string {
  return /^[A-Z][A-Z0-9]$/.test(given) ? given : "";
}
