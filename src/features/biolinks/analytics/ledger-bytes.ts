const FIRST_BYTES = 512;

/** Writes whole numbers from 0 to 2^53, small ones in one byte (seven bits a byte, the last without the eighth). */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  number(value: number): void {
    let left = value;
    while (left >= 128) {
      this.byte((left % 128) | 128);
      left = Math.floor(left / 128);
    }
    this.byte(left);
  }

  bytes(values: Uint8Array): void {
    if (this.#length + values.length > this.#bytes.length) this.#grow(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(room: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + room));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Reads what a {@link ByteWriter} wrote. @throws past the end */
export class ByteReader {
  at = 0;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new RangeError("The bytes end early.");
    return value;
  }

  number(): number {
    let byte = this.byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    let unit = 128;
    do {
      byte = this.byte();
      value += (byte & 127) * unit;
      unit *= 128;
    } while (byte >= 128);
    return value;
  }

  part(length: number): Uint8Array {
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }
}
