/** Of what a text was cut from, so much may be kept with it. */
const SMALL = 300;

/**
 * A part of a text, without the text: V8 keeps the whole of it for as long as a part is used, and a
 * header may be a hundred times longer than what is counted of it.
 */
export function ownText(part: string, of: string): string {
  return of.length <= SMALL ? part : Array.from(part).join("");
}
