import ipaddr from "ipaddr.js";

/**
 * Whom a limit per client IP counts: the IPv4 address, or the /64 of an IPv6 address, since
 * one subscriber holds a whole /64 and could otherwise take a new address for each request.
 * Without the header (never so behind Cloudflare) all callers count as one.
 */
export function clientAddress(headers: Headers): string {
  const given = headers.get("CF-Connecting-IP") ?? "";
  if (!ipaddr.isValid(given)) return "unknown";
  const address = ipaddr.process(given);
  if (address.kind() === "ipv4") return address.toString();
  return `${address.toByteArray().slice(0, 8).join(".")}/64`;
}
