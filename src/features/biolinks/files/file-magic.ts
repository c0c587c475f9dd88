/** What a file is, by its first bytes: neither a name nor a declared type is believed. */
import { toText } from "../../../platform/bytes.ts";
import type { FileType } from "./file-types.ts";

const HEAD_BYTES = 1024;

/** The type of a file that is taken. */
export function recognise(source: Uint8Array): FileType | undefined {
  const has = matcher(source);
  if (has(0, "\xff\xd8\xff")) return "image/jpeg";
  if (has(0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (has(0, "GIF87a") || has(0, "GIF89a")) return "image/gif";
  if (has(0, "RIFF") && has(8, "WEBP")) return "image/webp";
  if (has(4, "ftyp") && brandsOf(source).includes("avif")) return "image/avif";
  if (has(0, "%PDF-")) return "application/pdf";
  return undefined;
}

/** First bytes of what people send instead, and what it is called. */
const OTHERS: [at: number, start: string, name: string][] = [
  [0, "PK\x03\x04", "a ZIP archive, or a document of an office program"],
  [0, "BM", "a BMP image"],
  [0, "II*\0", "a TIFF image, or a camera's raw one"],
  [0, "MM\0*", "a TIFF image, or a camera's raw one"],
  [0, "\xff\x0a", "a JPEG XL image"],
  [0, "\0\0\0\x0cJXL ", "a JPEG XL image"],
  [0, "\0\0\0\x0cjP  ", "a JPEG 2000 image"],
  [0, "\0\0\x01\0", "an icon (ICO)"],
  [0, "8BPS", "a Photoshop file"],
  [0, "\x1aE\xdf\xa3", "a video"],
  [0, "ID3", "a sound"],
  [0, "OggS", "a sound"],
  [0, "RIFF", "a sound or a video"],
  [0, "%!PS", "a PostScript file"],
  [0, "{", "JSON"],
  [0, "MZ", "a program"],
  [0, "\x7fELF", "a program"],
];

/** What a file that is not taken is, in words. */
export function nameOther(source: Uint8Array): string {
  if (source.length === 0) return "nothing: the body is empty";
  const has = matcher(source);
  if (has(4, "ftyp")) {
    const isHeic = brandsOf(source).some((brand) =>
      /^(?:hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand),
    );
    return isHeic ? "a HEIC image" : "a video";
  }
  const other = OTHERS.find(([at, start]) => has(at, start));
  if (other) return other[2];
  const text = toText(source.subarray(0, HEAD_BYTES)).trimStart().toLowerCase();
  if (!text.startsWith("<")) return "of no known kind";
  if (text.includes("<svg")) return "an SVG: it can hold programs";
  return text.includes("<html") || text.includes("<!doctype html") ? "HTML" : "XML";
}

function matcher(source: Uint8Array) {
  return (at: number, text: string) => {
    for (let n = 0; n < text.length; n++) {
      if (source[at + n] !== text.charCodeAt(n)) return false;
    }
    return true;
  };
}

/** As which an ISO base media file may be read, its first box says. */
function brandsOf(source: Uint8Array): string[] {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const end = Math.min(source.length >= 8 ? view.getUint32(0) : 0, source.length, HEAD_BYTES);
  const brands: string[] = [];
  for (let at = 8; at + 4 <= end; at += 4) {
    // Behind the first stands a version.
    if (at !== 12) brands.push(String.fromCharCode(...source.subarray(at, at + 4)));
  }
  return brands;
}
