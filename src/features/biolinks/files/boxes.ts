/** The boxes of ISO base media files, of which AVIF is one (ISO/IEC 14496-12). */
import { type Reader, UnfitFile } from "./file-bytes.ts";

export interface Box {
  type: string;
  /** Where it begins. */
  start: number;
  /** Where its content does. */
  from: number;
  to: number;
  /** It has no length of its own: it goes to the end of the file. */
  isEndless: boolean;
}

/** No image needs as many; each is looked at. */
const MOST_BOXES = 1000;

/** The boxes of a part of a file, one after the other. @throws UnfitFile */
export function boxesOf(reader: Reader, start: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at < end; ) {
    const short = reader.u32(at);
    const isLong = short === 1;
    const from = at + (isLong ? 16 : 8);
    // Lengths beyond 4 GB are beyond any file that is taken.
    if (isLong && reader.u32(at + 8) > 0) throw new UnfitFile("A part is longer than the whole.");
    const to = short === 0 ? end : at + (isLong ? reader.u32(at + 12) : short);
    if (to < from || to > end) throw new UnfitFile("A part is longer than the whole.");
    boxes.push({ type: reader.name(at + 4), start: at, from, to, isEndless: short === 0 });
    if (boxes.length > MOST_BOXES) throw new UnfitFile("The AVIF has too many parts.");
    at = to;
  }
  return boxes;
}

/** The one box of a type. @throws UnfitFile when there is none, or several */
export function boxOf(boxes: Box[], type: string): Box {
  const [box, ...more] = boxes.filter((one) => one.type === type);
  if (!box || more.length > 0) throw new UnfitFile(`The AVIF has not one part "${type}".`);
  return box;
}

/** Reads a box's fields one after the other, none beyond its end. */
export class Fields {
  readonly #reader: Reader;
  readonly #to: number;
  at: number;

  constructor(reader: Reader, { from, to }: Pick<Box, "from" | "to">) {
    this.#reader = reader;
    this.#to = to;
    this.at = from;
  }

  /** An unsigned number of 0 to 8 bytes; of none it is 0. @throws UnfitFile beyond 2^53 */
  number(bytes: number): number {
    this.skip(bytes);
    let value = 0;
    for (let at = this.at - bytes; at < this.at; at++) value = value * 256 + this.#reader.u8(at);
    if (!Number.isSafeInteger(value)) throw new UnfitFile("A part is longer than the whole.");
    return value;
  }

  /** Version and flags, with which many boxes begin. */
  version(): { version: number; flags: number } {
    return { version: this.number(1), flags: this.number(3) };
  }

  skip(bytes: number): void {
    if (this.at + bytes > this.#to) throw new UnfitFile("A part of the AVIF breaks off.");
    this.at += bytes;
  }

  name(): string {
    this.skip(4);
    return this.#reader.name(this.at - 4);
  }
}
