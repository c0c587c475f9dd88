import ipaddr from "ipaddr.js";

const PRIVATE_SUFFIXES = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "test",
  "invalid",
  "onion",
  "arpa",
];
/** 64:ff9b:1::/48, local-use NAT64 (RFC 8215), and other blocks the library calls unicast. */
const MORE_SPECIAL_RANGES = [
  "64:ff9b:1::/48",
  "100:0:0:1::/64",
  "2001::/23",
  "5f00::/16",
  "3fff::/20",
  "192.88.99.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.175.48.0/24",
  "fec0::/10",
  "::/96",
].map((range) => ipaddr.parseCIDR(range));
const MAX_URL_LENGTH = 2048;

/** Whether an address is one that anybody on the internet may send to (IANA special-purpose registries). */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return !MORE_SPECIAL_RANGES.some(
    ([base, bits]) => base.kind() === address.kind() && address.match(base, bits),
  );
}

/** Why a URL is no public https address, or undefined when it is one, going by its text alone. */
export function publicUrlProblem(text: string): string | undefined {
  const problem = urlProblem(text);
  if (problem) return problem;
  const url = new URL(text);
  if (url.protocol !== "https:") return "The URL must begin with https://.";
  const host = url.hostname.replace(/\.$/, "").toLowerCase();
  // The URL parser has brought every spelling of an IPv4 address to four decimals already.
  const address = host.startsWith("[") ? host.slice(1, -1) : host;
  if (ipaddr.isValid(address)) {
    return isPublicAddress(address) ? undefined : "The URL must lead to a public address.";
  }
  if (!host.includes(".")) return "The URL must have a public host name.";
  return hasPrivateSuffix(host) ? "The URL must have a public host name." : undefined;
}

/** Whether a host name ends in one that public DNS does not answer for. */
export function hasPrivateSuffix(host: string): boolean {
  return PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Why a text is no http(s) URL to send to at all, wherever it leads. */
export function urlProblem(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `The URL may have at most ${MAX_URL_LENGTH} characters.`;
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "The URL must be an absolute https URL.";
  }
  if (url.username || url.password) return "The URL may not hold credentials.";
  return undefined;
}
