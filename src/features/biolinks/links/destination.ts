import { countCharacters } from "../../../platform/characters.ts";
import { webSpellingProblem } from "../../../platform/web-url.ts";
import { isWeb } from "../../../visitor/decide/final-url.ts";

export const MAX_DESTINATION_LENGTH = 2048;

const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:"]);

/** Why a destination is refused, or undefined when a link may lead there. */
export function destinationProblem(destination: string): string | undefined {
  if (countCharacters(destination) > MAX_DESTINATION_LENGTH) {
    return `The destination may have at most ${MAX_DESTINATION_LENGTH} characters.`;
  }
  const problem = webSpellingProblem(destination, "The destination");
  if (problem) return problem;
  const url = URL.parse(destination);
  if (!url || !SCHEMES.has(url.protocol)) {
    return "The destination must be an absolute http, https, mailto or tel URL.";
  }
  return isWeb(url) ? undefined : unwebProblem(url);
}

/** A mailto may leave it to the visitor whom to write to, if it says what. */
function unwebProblem(url: URL): string | undefined {
  if (/^[a-z]+:\/\//.test(url.href)) {
    return "Write what follows mailto: or tel: without '//'.";
  }
  const says = url.pathname || (url.protocol === "mailto:" && url.search);
  return says ? undefined : "The destination names nobody.";
}
