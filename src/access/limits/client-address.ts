import ipaddr from "ipaddr.js";

/**
 * Whom a limit per client IP counts: the IPv4 address, or the /64 of an IPv6 address, since
 * one subscriber holds a whole /64 and could otherwise take a new address for each request.
 * Without the header (never so behind Cloudflare) all callers count as one.
 */
export function clientAddress(headers: Headers): string {
  return countedAddress(headers.get("CF-Connecting-IP") ?? "");
}

/** The same, of what that header says. */
export function countedAddress(given: string): string {
  return prefixOf(given, 64);
}

/**
 * What one customer of a provider may hold of IPv6, for limits beside those of a /64: the /48, of
 * which there are 65,536 /64s to come from. Of IPv4 the address.
 */
export function clientNetwork(headers: Headers): string {
  return prefixOf(headers.get("CF-Connecting-IP") ?? "", 48);
}

/** An IPv4 address as everybody writes it: most are, and to take them apart takes longer. */
const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}(?<!\.)$/;

function prefixOf(given: string, bits: 48 | 64): string {
  if (PLAIN_IPV4.test(given)) return given;
  if (!ipaddr.isValid(given)) return "unknown";
  const address = ipaddr.process(given);
  if (address.kind() === "ipv4") return address.toString();
  return `${address
    .toByteArray()
    .slice(0, bits / 8)
    .join(".")}/${bits}`;
}
