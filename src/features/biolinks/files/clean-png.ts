import { crc32 } from "../../../platform/crypto/crc32.ts";
import { assertSize, type CleanFile, Reader, UnfitFile, Writer } from "./file-bytes.ts";
import { exifOf, readOrientation, turned } from "./orientation.ts";

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 13;
/** Length and name before a chunk's data, and its checksum behind them. */
const AROUND = 12;

/** What draws an image, animated ones too, and says how its colours are meant. */
const KEPT = new Set(
  "IHDR PLTE IDAT tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs cICP mDCV cLLI acTL fcTL fdAT".split(" "),
);

/** A PNG of what draws it and nothing else. What follows its end is cut. @throws UnfitFile */
export function cleanPng(source: Uint8Array): CleanFile {
  const reader = new Reader(source);
  const writer = new Writer(source);
  const size = readHeader(reader);
  writer.keep(0, SIGNATURE_BYTES);
  let orientation = 1;
  let hasPixels = false;
  for (let at = SIGNATURE_BYTES; ; ) {
    const length = reader.u32(at);
    const name = reader.name(at + 4);
    const end = at + AROUND + length;
    reader.assertHas(at, AROUND + length);
    if (name === "IEND") {
      if (length > 0) throw new UnfitFile("The PNG's end is not empty.");
      if (!hasPixels) throw new UnfitFile("The PNG holds no pixels.");
      writer.keep(at, end);
      return { bytes: writer.end(), ...turned(size, orientation) };
    }
    if (name === "IHDR" && at > SIGNATURE_BYTES) throw new UnfitFile("The PNG has two headers.");
    hasPixels ||= name === "IDAT";
    if (KEPT.has(name)) writer.keep(at, end);
    // The first letter says by its case whether an image can be shown without the chunk.
    else if (name.charCodeAt(0) < 0x61) throw new UnfitFile("The PNG has a part that is unknown.");
    else if (name === "eXIf" && orientation === 1) {
      orientation = readOrientation(source.subarray(at + 8, end - 4));
      writeOrientation(writer, orientation);
    }
    at = end;
  }
}

function readHeader(reader: Reader) {
  if (reader.u32(SIGNATURE_BYTES) !== HEADER_BYTES || !reader.isAt(SIGNATURE_BYTES + 4, "IHDR")) {
    throw new UnfitFile("The PNG does not begin with its header.");
  }
  const [width, height] = [reader.u32(SIGNATURE_BYTES + 8), reader.u32(SIGNATURE_BYTES + 12)];
  assertSize(width, height);
  return { width, height };
}

function writeOrientation(writer: Writer, orientation: number): void {
  const exif = exifOf(orientation);
  if (!exif) return;
  const chunk = new Uint8Array([0x65, 0x58, 0x49, 0x66, ...exif]);
  writer.put(bigEndian(exif.length));
  writer.put(chunk);
  writer.put(bigEndian(crc32(chunk)));
}

function bigEndian(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}
