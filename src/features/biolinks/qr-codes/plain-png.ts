/** A PNG's parts, as far as its pixels need them. Expects one that was cleaned when it was stored. */
import { toText } from "../../../platform/bytes.ts";

const SIGNATURE_BYTES = 8;
/** Length and name before a part's data, and its checksum behind them. */
const AROUND = 12;
const KEPT = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

interface Part {
  name: string;
  /** As a whole, with what is around its data. */
  bytes: Uint8Array;
}

function partsOf(png: Uint8Array): Part[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts: Part[] = [];
  for (let at = SIGNATURE_BYTES; at + AROUND <= png.length; ) {
    const end = at + AROUND + view.getUint32(at);
    parts.push({ name: toText(png.subarray(at + 4, at + 8)), bytes: png.subarray(at, end) });
    at = end;
  }
  return parts;
}

/** Without colour profile and animation, which are not drawn and may unpack to anything. */
export function plainPng(png: Uint8Array): Uint8Array {
  const kept = partsOf(png).filter(({ name }) => KEPT.has(name));
  const whole = new Uint8Array(
    kept.reduce((sum, { bytes }) => sum + bytes.length, SIGNATURE_BYTES),
  );
  whole.set(png.subarray(0, SIGNATURE_BYTES));
  let at = SIGNATURE_BYTES;
  for (const { bytes } of kept) {
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
}

/** Whether the pixels can be unpacked, and to at most so many bytes. It holds a few at a time. */
export async function unpacksTo(png: Uint8Array, most: number): Promise<boolean> {
  const data = partsOf(png).filter(({ name }) => name === "IDAT");
  const packed = new Blob(data.map(({ bytes }) => bytes.slice(8, -4)));
  let unpacked = 0;
  try {
    for await (const chunk of packed.stream().pipeThrough(new DecompressionStream("deflate"))) {
      unpacked += chunk.byteLength;
      if (unpacked > most) return false;
    }
    return true;
  } catch {
    return false;
  }
}
