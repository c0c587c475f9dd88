import { BREAKS_OFF, type CleanFile, UnfitFile } from "./file-bytes.ts";

const END = "%%EOF";

/**
 * A PDF up to its end: what is behind that, another file say, is cut. What it says of itself, its
 * author or title, is a part of the document and stays. @throws UnfitFile
 */
export function cleanPdf(source: Uint8Array): CleanFile {
  const first = END.charCodeAt(0);
  let at = source.lastIndexOf(first);
  while (at >= 0 && !isEnd(source, at)) at = at === 0 ? -1 : source.lastIndexOf(first, at - 1);
  if (at < 0) throw new UnfitFile(BREAKS_OFF);
  let end = at + END.length;
  if (source[end] === 0x0d) end++;
  if (source[end] === 0x0a) end++;
  return { bytes: source.subarray(0, end), width: null, height: null };
}

function isEnd(source: Uint8Array, at: number): boolean {
  for (let place = 0; place < END.length; place++) {
    if (source[at + place] !== END.charCodeAt(place)) return false;
  }
  return true;
}
