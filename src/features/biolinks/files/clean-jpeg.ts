import { assertSize, BREAKS_OFF, type CleanFile, Reader, UnfitFile, Writer } from "./file-bytes.ts";
import { exifOf, readOrientation, turned } from "./orientation.ts";

const END = 0xd9;
const SCAN = 0xda;
/** Huffman and quantization tables, restart interval. */
const TABLES = new Set([0xc4, 0xdb, 0xdd]);
/** Baseline, extended and progressive: those that browsers show. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
const COMMENT = 0xfe;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const UNSHOWN = "This kind of JPEG is shown by no browser: save it as an ordinary one.";

/**
 * A JPEG of what draws it and nothing else: tables, frame, scans, colour profile, orientation. What
 * follows its end is cut. @throws UnfitFile
 */
export function cleanJpeg(source: Uint8Array): CleanFile {
  const reader = new Reader(source);
  const writer = new Writer(source);
  writer.keep(0, 2);
  let size: { width: number; height: number } | undefined;
  let orientation: number | undefined;
  let hasScan = false;
  for (let at = 2; ; ) {
    const marker = findMarker(reader, at);
    if (marker.code === END) break;
    const start = marker.at;
    const end = start + 2 + reader.u16(start + 2);
    if (end < start + 4) throw new UnfitFile("A part of the JPEG has no length.");
    reader.assertHas(start, end - start);
    at = end;
    if (FRAMES.has(marker.code)) {
      if (size) throw new UnfitFile(UNSHOWN);
      size = readFrame(reader, start, end);
      writer.keep(start, end);
    } else if (marker.code === SCAN) {
      if (!size) throw new UnfitFile("The JPEG's size does not stand before its pixels.");
      at = findScanEnd(source, end);
      writer.keep(start, at);
      hasScan = true;
    } else if (TABLES.has(marker.code)) {
      writer.keep(start, end);
    } else if (marker.code === APP1 && reader.isAt(start + 4, "Exif\0\0") && !orientation) {
      orientation = readOrientation(source.subarray(start + 10, end));
      writeOrientation(writer, orientation);
    } else {
      keepApplication(reader, writer, marker.code, start, end);
    }
  }
  if (!size || !hasScan) throw new UnfitFile("The JPEG holds no pixels.");
  writer.put([0xff, END]);
  return { bytes: writer.end(), ...turned(size, orientation ?? 1) };
}

/** A marker and where it begins; any number of 0xff may stand before it. */
function findMarker(reader: Reader, at: number): { code: number; at: number } {
  if (reader.u8(at) !== 0xff) throw new UnfitFile("The JPEG's parts do not follow each other.");
  let place = at;
  while (reader.u8(place + 1) === 0xff) place++;
  return { code: reader.u8(place + 1), at: place };
}

function readFrame(reader: Reader, start: number, end: number) {
  const components = reader.u8(start + 9);
  if (reader.u8(start + 4) !== 8 || end - start !== 10 + 3 * components) {
    throw new UnfitFile(UNSHOWN);
  }
  const [height, width] = [reader.u16(start + 5), reader.u16(start + 7)];
  assertSize(width, height);
  return { width, height };
}

/** Where the pixels of a scan end: at the next marker that is no part of them. */
function findScanEnd(source: Uint8Array, from: number): number {
  for (let at = from; at + 1 < source.length; at++) {
    if (source[at] !== 0xff) continue;
    const next = source[at + 1] ?? 0;
    const isPixels = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isPixels) return at;
  }
  throw new UnfitFile(BREAKS_OFF);
}

function writeOrientation(writer: Writer, orientation: number): void {
  const exif = exifOf(orientation);
  if (!exif) return;
  const name = [0x45, 0x78, 0x69, 0x66, 0, 0];
  writer.put([0xff, APP1, 0, 2 + name.length + exif.length, ...name, ...exif]);
}

/** Keeps of an application's part what says how colours are meant, and drops all else. */
function keepApplication(
  reader: Reader,
  writer: Writer,
  code: number,
  start: number,
  end: number,
): void {
  const isApplication = code >= APP0 && code <= APP15;
  if (!isApplication && code !== COMMENT) throw new UnfitFile(UNSHOWN);
  if (code === APP2 && reader.isAt(start + 4, "ICC_PROFILE\0")) writer.keep(start, end);
  // Each to its fixed length: a small picture, or anything, may follow it.
  if (code === APP0 && reader.isAt(start + 4, "JFIF\0") && end - start >= 18) {
    writer.put([0xff, APP0, 0, 16]);
    writer.keep(start + 4, start + 16);
    writer.put([0, 0]);
  }
  if (code === APP14 && reader.isAt(start + 4, "Adobe") && end - start >= 16) {
    writer.put([0xff, APP14, 0, 14]);
    writer.keep(start + 4, start + 16);
  }
}
