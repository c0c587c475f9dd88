import { assertSize, BREAKS_OFF, type CleanFile, Reader, UnfitFile, Writer } from "./file-bytes.ts";

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const END = 0x3b;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
/** How often an animation runs, as everybody has written it since Netscape. */
const LOOPS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"]);
const LOOP_BYTES = 19;

/** A GIF of its images, their delays and its loops. What follows its end is cut. @throws UnfitFile */
export function cleanGif(source: Uint8Array): CleanFile {
  const reader = new Reader(source);
  const writer = new Writer(source);
  const [width, height] = [reader.u16(6, true), reader.u16(8, true)];
  assertSize(width, height);
  let at = HEADER_BYTES + tableBytes(reader.u8(10));
  reader.assertHas(0, at);
  writer.keep(0, at);
  let hasImage = false;
  for (;;) {
    const kind = reader.u8(at);
    if (kind === END) break;
    if (kind !== EXTENSION && kind !== IMAGE) throw new UnfitFile("The GIF has an unknown part.");
    const end = kind === IMAGE ? imageEnd(reader, at) : blocksEnd(source, at + 2);
    if (kind === IMAGE) {
      hasImage = true;
      writer.keep(at, end);
    } else if (reader.u8(at + 1) === CONTROL && reader.u8(at + 2) === 4 && end - at === 8) {
      writer.keep(at, end);
    } else if (isLoop(reader, at)) {
      writer.keep(at, at + LOOP_BYTES - 1);
      writer.put([0]);
    }
    at = end;
  }
  if (!hasImage) throw new UnfitFile("The GIF holds no image.");
  writer.put([END]);
  return { bytes: writer.end(), width, height };
}

/** How long the colour table is that a byte of flags tells of. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function imageEnd(reader: Reader, at: number): number {
  const [left, top] = [reader.u16(at + 1, true), reader.u16(at + 3, true)];
  // Browsers widen the whole to a frame that is larger.
  assertSize(left + reader.u16(at + 5, true), top + reader.u16(at + 7, true));
  const pixels = at + 10 + tableBytes(reader.u8(at + 9)) + 1;
  return blocksEnd(reader.bytes, pixels);
}

/** Where blocks end, each of which says its length: behind the empty one. */
function blocksEnd(source: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const length = source[at];
    if (length === undefined) throw new UnfitFile(BREAKS_OFF);
    at += length + 1;
    if (length === 0) return at;
  }
}

function isLoop(reader: Reader, at: number): boolean {
  if (reader.u8(at + 1) !== APPLICATION || reader.u8(at + 2) !== 11) return false;
  if (!LOOPS.has(reader.name(at + 3, 11))) return false;
  return reader.u8(at + 14) === 3 && reader.u8(at + 15) === 1;
}
