import ipaddr from "ipaddr.js";
import { countCharacters } from "../characters.ts";
import { hostNameOf, webSpellingProblem } from "../web-url.ts";

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
/** What is handed out of IPv6 to be used on the internet; all else is reserved, or local. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
/** Below are the ports of other protocols: mail servers and the like read what is posted to them. */
const MIN_FREE_PORT = 1024;
export const MAX_URL_LENGTH = 2048;
const NOT_HTTPS = "The URL must begin with https://.";
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** Whether an address is one that anybody on the internet may send to (IANA special-purpose registries). */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Not `process`, which takes a v4-mapped address for the one inside: it is special itself.
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address.kind() === "ipv6" && !address.match(GLOBAL_UNICAST)) return false;
  return !MORE_SPECIAL_RANGES.some(
    ([base, bits]) => base.kind() === address.kind() && address.match(base, bits),
  );
}

/** Why a URL is no public https address, or undefined when it is one, going by its text alone. */
export function publicUrlProblem(text: string): string | undefined {
  if (/^(?!https:)/i.test(text.trimStart())) return NOT_HTTPS;
  const problem = urlProblem(text);
  if (problem) return problem;
  const url = new URL(text);
  return portProblem(url) ?? publicPlaceProblem(url);
}

/** Asked when a URL is saved: one that was saved before this rule goes on being sent to. */
function portProblem({ port }: URL): string | undefined {
  // The parser leaves 443 out.
  const number = Number(port || 443);
  if (number >= MIN_FREE_PORT || number === 443 || number === 80) return undefined;
  return `The URL's port must be 80, 443 or at least ${MIN_FREE_PORT}.`;
}

/** Why a URL, however it is written, leads to no public https address. */
export function publicPlaceProblem(url: URL): string | undefined {
  if (url.protocol !== "https:") return NOT_HTTPS;
  const host = hostNameOf(url);
  // The URL parser has brought every spelling of an IPv4 address to four decimals already.
  const address = host.startsWith("[") ? host.slice(1, -1) : host;
  if (ipaddr.isValid(address)) {
    return isPublicAddress(address) ? undefined : "The URL must lead to a public address.";
  }
  const isName = host.includes(".") && isHostName(host) && !hasPrivateSuffix(host);
  return isName ? undefined : "The URL must have a public host name.";
}

/** Whether DNS could hold a name: one final dot was taken off it before. */
function isHostName(host: string): boolean {
  const labels = host.split(".");
  const fits = (label: string) => label.length >= 1 && label.length <= MAX_LABEL_LENGTH;
  return host.length <= MAX_NAME_LENGTH && labels.every(fits);
}

/** Whether a host name ends in one that public DNS does not answer for. */
export function hasPrivateSuffix(host: string): boolean {
  return PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Why a text is no http(s) URL at all, written as one, wherever it leads. */
export function urlProblem(text: string): string | undefined {
  if (countCharacters(text) > MAX_URL_LENGTH) {
    return `The URL may have at most ${MAX_URL_LENGTH} characters.`;
  }
  const problem = webSpellingProblem(text, "The URL");
  if (problem) return problem;
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return "The URL must be an absolute http or https URL.";
  }
  return url.port === "0" ? "The URL's port must be 1 to 65535." : undefined;
}
