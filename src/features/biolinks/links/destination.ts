import { isWeb } from "../../../visitor/final-url.ts";

export const MAX_DESTINATION_LENGTH = 2048;

const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:"]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Why a destination is refused, or undefined when a link may lead there. */
export function destinationProblem(destination: string): string | undefined {
  if (destination.length > MAX_DESTINATION_LENGTH) {
    return `The destination may have at most ${MAX_DESTINATION_LENGTH} characters.`;
  }
  if (CONTROL.test(destination) || destination.trim() !== destination) {
    return "The destination may not hold control characters, nor begin or end with a space.";
  }
  if (!destination.isWellFormed()) return "The destination is no well-formed Unicode.";
  const url = URL.parse(destination);
  if (!url || !SCHEMES.has(url.protocol)) {
    return "The destination must be an absolute http, https, mailto or tel URL.";
  }
  if (!isWeb(url)) return url.pathname ? undefined : "The destination names nobody.";
  if (!/^https?:\/\//i.test(destination))
    return "Write the destination with '//' after its scheme.";
  if (url.username || url.password) return "The destination may not hold credentials.";
  return undefined;
}

/** Whether following `destination` leads back to the short link `publicUrl`, whatever the query. */
export function leadsTo(destination: string, publicUrl: string): boolean {
  const to = URL.parse(destination);
  const own = URL.parse(publicUrl);
  if (!to || !own || !isWeb(to)) return false;
  return to.host === own.host && pathKey(to) === pathKey(own);
}

function pathKey(url: URL): string {
  let path = url.pathname;
  try {
    path = decodeURIComponent(path);
  } catch {
    // A malformed escape is compared as it is.
  }
  return path.toLowerCase().replace(/\/$/, "");
}
