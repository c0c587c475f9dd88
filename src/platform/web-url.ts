// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const HTTP = /^https?:/i;
/** Scheme, two slashes, and a host's first character: never a third slash, nor a backslash. */
const WITH_HOST = /^https?:\/\/[^/\\?#]/i;
/** All before the query, which is all that says where the URL leads. */
const PLACE = /^[^?#]*/;
const WITH_CREDENTIALS = /^https?:\/\/[^/?#]*@/i;

/**
 * What is wrong with how an http(s) URL is written. The URL parser forgives `https:host`,
 * `https:///path` and backslashes, and drops tabs: so people read another host than it does.
 */
export function webSpellingProblem(text: string, what: string): string | undefined {
  const problem = textProblem(text, what);
  if (problem || !HTTP.test(text)) return problem;
  const place = PLACE.exec(text)?.[0] ?? "";
  if (!WITH_HOST.test(text) || place.includes("\\")) {
    return `${what} must be written as https://host/path: two slashes, then the host, and no backslash.`;
  }
  return WITH_CREDENTIALS.test(text) ? `${what} may not hold credentials.` : undefined;
}

/** What no URL of any scheme may hold. */
function textProblem(text: string, what: string): string | undefined {
  if (CONTROL.test(text) || text.trim() !== text) {
    return `${what} may not hold control characters, nor begin or end with a space.`;
  }
  return text.isWellFormed() ? undefined : `${what} is no well-formed Unicode.`;
}

/** The host that a URL names, without the final dot that makes no other name of it. */
export function hostNameOf({ hostname }: Pick<URL, "hostname">): string {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** A URL as the parser writes it, so that it can stand in a header; what is none stays as it is. */
export function writtenUrl(text: string): string {
  return URL.parse(text)?.href ?? text;
}
