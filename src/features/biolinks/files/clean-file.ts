import { cleanAvif } from "./clean-avif.ts";
import { cleanGif } from "./clean-gif.ts";
import { cleanJpeg } from "./clean-jpeg.ts";
import { cleanPdf } from "./clean-pdf.ts";
import { cleanPng } from "./clean-png.ts";
import { cleanWebp } from "./clean-webp.ts";
import { type CleanFile, UnfitFile } from "./file-bytes.ts";
import { nameOther, recognise } from "./file-magic.ts";
import type { FileType } from "./file-types.ts";

const CLEANERS: Record<FileType, (source: Uint8Array) => CleanFile> = {
  "image/jpeg": cleanJpeg,
  "image/png": cleanPng,
  "image/webp": cleanWebp,
  "image/gif": cleanGif,
  "image/avif": cleanAvif,
  "application/pdf": cleanPdf,
};

/**
 * A file without what it tells of who made it, where and with what, and without what follows its
 * end. Nothing is decoded: an image's pixels stay as they are, byte for byte.
 * @throws UnfitFile, and nothing else, whatever the bytes are
 */
export function cleanFile(source: Uint8Array): CleanFile & { type: FileType } {
  const type = recognise(source);
  if (type) return { type, ...CLEANERS[type](source) };
  throw new UnfitFile(
    `This is ${nameOther(source)}. Taken are JPEG, PNG, WebP, GIF, AVIF and PDF.`,
  );
}
