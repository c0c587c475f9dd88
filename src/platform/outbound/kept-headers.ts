import { jsonBytes } from "../bytes.ts";

/** So much of an answer's headers is kept, as JSON. */
export const MAX_HEADER_BYTES = 2048;
/** They hold secrets of who answered. */
const LEFT_OUT = new Set(["set-cookie", "set-cookie2"]);

/**
 * JSON of an answer's headers: an object by their names, in lower case and in their order, as the
 * runtime gives them. One that does not fit any more is left out whole, so that a long policy does
 * not hide what comes after it.
 */
export function keptHeaders(headers: Headers): string {
  const kept: string[] = [];
  let left = MAX_HEADER_BYTES - "{}".length;
  for (const [name, value] of headers) {
    if (LEFT_OUT.has(name)) continue;
    const bytes = jsonBytes(name) + ":".length + jsonBytes(value) + ",".length;
    if (bytes > left) continue;
    kept.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    left -= bytes;
  }
  return `{${kept.join(",")}}`;
}
