import ipaddr from "ipaddr.js";
import { parse } from "tldts";
import { countCharacters } from "../../../platform/characters.ts";
import { hasPrivateSuffix } from "../../../platform/outbound/public-url.ts";

export const MAX_HOST_LENGTH = 190;
/** What a host name never holds, and a URL parser would take for something else, or forgive. */
const FOREIGN = /[\s/\\:@?#%*_[\]]/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export type HostReading = { host: string } | { problem: string };

/**
 * A host name as it is stored, lower-cased and in punycode, or why it cannot be connected.
 * `ownHosts` are the platform's own, which nobody connects, nor what is under them.
 */
export function readHost(input: string, ownHosts: string[]): HostReading {
  if (input.length === 0 || countCharacters(input) > MAX_HOST_LENGTH) {
    return { problem: `The host must have 1 to ${MAX_HOST_LENGTH} characters.` };
  }
  if (FOREIGN.test(input)) {
    return {
      problem: "A host name is wanted, as go.example.com: no scheme, port, path or wildcard.",
    };
  }
  const hostname = URL.parse(`http://${input}/`)?.hostname;
  if (!hostname) return { problem: "This is no host name." };
  const host = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  // The URL parser has brought every spelling of an IPv4 address to four decimals already.
  if (ipaddr.isValid(host)) return { problem: "An IP address cannot be connected." };
  if (host.length > MAX_HOST_LENGTH) {
    return { problem: `The host has more than ${MAX_HOST_LENGTH} characters in punycode.` };
  }
  if (!host.split(".").every((label) => LABEL.test(label)))
    return { problem: "This is no host name." };
  if (ownHosts.some((own) => host === own || host.endsWith(`.${own}`))) {
    return { problem: "This host is the platform's own." };
  }
  const { isIcann, isPrivate, domain } = parse(host, { allowPrivateDomains: true });
  if ((!isIcann && !isPrivate) || hasPrivateSuffix(host)) {
    return { problem: "The host must end in a public suffix, as .com." };
  }
  if (!domain) return { problem: "This is a public suffix: nobody's own." };
  return { host };
}

/** Whether a host is the name that was registered itself, where DNS allows no CNAME. */
export function isApex(host: string): boolean {
  return parse(host, { allowPrivateDomains: true }).domain === host;
}
