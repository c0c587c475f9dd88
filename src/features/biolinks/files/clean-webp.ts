import { assertSize, type CleanFile, Reader, UnfitFile, Writer } from "./file-bytes.ts";

/** `RIFF`, a length, `WEBP`. */
const HEADER_BYTES = 12;
/** A chunk's name and length. */
const CHUNK_BYTES = 8;
/** Of an animation's frame: what stands before its pixels. */
const FRAME_BYTES = 16;
const KEPT = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);
const KEPT_IN_FRAMES = new Set(["VP8 ", "VP8L", "ALPH"]);
/** Bits of VP8X that say what else is there. */
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

interface Size {
  width: number;
  height: number;
}

/**
 * A WebP of what draws it and nothing else. Its orientation goes as well: Chromium takes no notice of
 * it, so without it an image looks the same in all browsers. What follows its end is cut.
 * @throws UnfitFile
 */
export function cleanWebp(source: Uint8Array): CleanFile {
  const length = new Reader(source).u32(4, true) + 8;
  if (length > source.length) new Reader(source).assertHas(0, length);
  const reader = new Reader(source.subarray(0, length));
  const writer = new Writer(source);
  writer.keep(0, HEADER_BYTES);
  let canvas: Size | undefined;
  let flagsAt: number | undefined;
  let pixels: Size | undefined;
  for (const { name, from, to } of chunksOf(reader, HEADER_BYTES, reader.length)) {
    if (!KEPT.has(name)) continue;
    if (name === "VP8X") {
      if (from !== HEADER_BYTES + CHUNK_BYTES || to - from !== 10) {
        throw new UnfitFile("The WebP's header is broken.");
      }
      canvas = { width: u24(reader, from + 4) + 1, height: u24(reader, from + 7) + 1 };
      flagsAt = writer.length + CHUNK_BYTES;
    }
    if (name === "ANMF") {
      pixels ??= canvas;
      writeFrame(reader, writer, from, to);
    } else {
      pixels = sizeOf(reader, name, from) ?? pixels;
      writeChunk(reader, writer, from, to);
    }
  }
  if (!pixels) throw new UnfitFile("The WebP holds no pixels.");
  const size = canvas ?? pixels;
  assertSize(size.width, size.height);
  if (flagsAt !== undefined) {
    const flags = reader.u8(HEADER_BYTES + CHUNK_BYTES);
    writer.setU32Little(flagsAt, flags & ~(HAS_EXIF | HAS_XMP));
  }
  writer.setU32Little(4, writer.length - 8);
  return { bytes: writer.end(), ...size };
}

interface Chunk {
  name: string;
  /** Where its data are. */
  from: number;
  to: number;
}

function* chunksOf(reader: Reader, start: number, end: number): Generator<Chunk> {
  for (let at = start; at < end; ) {
    const from = at + CHUNK_BYTES;
    const to = from + reader.u32(at + 4, true);
    if (to > end) throw new UnfitFile("A part of the WebP is longer than the whole.");
    yield { name: reader.name(at), from, to };
    at = to + ((to - from) % 2);
  }
}

function writeChunk(reader: Reader, writer: Writer, from: number, to: number): void {
  writer.keep(from - CHUNK_BYTES, to);
  if ((to - from) % 2 === 0) return;
  // A padding byte, which may be missing at the end, or hold anything.
  if (reader.length > to && reader.u8(to) === 0) writer.keep(to, to + 1);
  else writer.put([0]);
}

/** A frame of an animation, whose own chunks may be anything too. */
function writeFrame(reader: Reader, writer: Writer, from: number, to: number): void {
  if (to - from < FRAME_BYTES) throw new UnfitFile("A frame of the WebP is too short.");
  const start = writer.length;
  writer.keep(from - CHUNK_BYTES, from + FRAME_BYTES);
  for (const chunk of chunksOf(reader, from + FRAME_BYTES, to)) {
    if (!KEPT_IN_FRAMES.has(chunk.name)) continue;
    sizeOf(reader, chunk.name, chunk.from);
    writeChunk(reader, writer, chunk.from, chunk.to);
  }
  writer.setU32Little(start + 4, writer.length - start - CHUNK_BYTES);
}

/** The size that pixels say they have; undefined for other chunks. */
function sizeOf(reader: Reader, name: string, from: number): Size | undefined {
  let size: Size;
  if (name === "VP8 ") {
    if (reader.name(from + 3, 3) !== "\x9d\x01\x2a") throw new UnfitFile("The WebP is broken.");
    const [width, height] = [reader.u16(from + 6, true), reader.u16(from + 8, true)];
    size = { width: width & 0x3fff, height: height & 0x3fff };
  } else if (name === "VP8L") {
    if (reader.u8(from) !== 0x2f) throw new UnfitFile("The WebP is broken.");
    const bits = reader.u32(from + 1, true);
    size = { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  } else return undefined;
  assertSize(size.width, size.height);
  return size;
}

function u24(reader: Reader, at: number): number {
  return reader.u16(at, true) | (reader.u8(at + 2) << 16);
}
