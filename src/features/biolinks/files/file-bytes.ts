/** A file is not what it says it is, or not one that is taken: the message is for whoever sent it. */
export class UnfitFile extends Error {
  override readonly name = "UnfitFile";
}

export const BREAKS_OFF = "The file breaks off before its end.";

/** At most so many pixels a side: what is larger fills the memory of whoever looks at it. */
const MOST_PIXELS = 8000;

/** What an image is once it is clean; a PDF has no size. */
export interface CleanFile {
  bytes: Uint8Array;
  width: number | null;
  height: number | null;
}

/** @throws UnfitFile */
export function assertSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw new UnfitFile("The image has no pixels.");
  if (width <= MOST_PIXELS && height <= MOST_PIXELS) return;
  throw new UnfitFile(
    `The image has ${width} by ${height} pixels: at most ${MOST_PIXELS} a side are taken.`,
  );
}

/** Reads numbers and names of a file. What lies beyond its end throws an UnfitFile. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  /** @throws UnfitFile unless so many bytes stand there */
  assertHas(at: number, count: number): void {
    if (at < 0 || at + count > this.bytes.length) throw new UnfitFile(BREAKS_OFF);
  }

  u8(at: number): number {
    this.assertHas(at, 1);
    return this.#view.getUint8(at);
  }

  u16(at: number, isLittle = false): number {
    this.assertHas(at, 2);
    return this.#view.getUint16(at, isLittle);
  }

  u32(at: number, isLittle = false): number {
    this.assertHas(at, 4);
    return this.#view.getUint32(at, isLittle);
  }

  /** One to four letters, as formats name their parts. */
  name(at: number, count = 4): string {
    this.assertHas(at, count);
    return String.fromCharCode(...this.bytes.subarray(at, at + count));
  }

  isAt(at: number, text: string): boolean {
    return at + text.length <= this.bytes.length && this.name(at, text.length) === text;
  }
}

/** Room for what a clean file has and the sent one had not: an orientation, a padding byte. */
const ROOM = 128;

/** A file as it is written anew from parts of another: one copy, however many parts there are. */
export class Writer {
  readonly #source: Uint8Array;
  readonly #bytes: Uint8Array;
  #length = 0;
  /** Parts that follow each other in the source are copied at once. */
  #from = 0;
  #to = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
    this.#bytes = new Uint8Array(source.length + ROOM);
  }

  get length(): number {
    return this.#length + this.#to - this.#from;
  }

  /** A part of the source, as it is. */
  keep(from: number, to: number): void {
    if (from !== this.#to) {
      this.#flush();
      this.#from = from;
    }
    this.#to = to;
  }

  put(bytes: ArrayLike<number>): void {
    this.#flush();
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes a number over what stands there already. */
  setU32Little(at: number, value: number): void {
    this.#flush();
    new DataView(this.#bytes.buffer).setUint32(at, value, true);
  }

  end(): Uint8Array {
    this.#flush();
    return this.#bytes.subarray(0, this.#length);
  }

  #flush(): void {
    this.#bytes.set(this.#source.subarray(this.#from, this.#to), this.#length);
    this.#length += this.#to - this.#from;
    this.#from = this.#to;
  }
}
