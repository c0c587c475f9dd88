/** Held at once: so many submissions, or so many bytes of them. */
const MAX_SLICE = 500;
const MAX_SLICE_BYTES = 1_000_000;
/**
 * Each is a query. With 100 that look up, 25 for the forms' names, and those that are tried again, a
 * request asks less than its 1,000.
 */
const MAX_SLICES = 700;

/** Which submissions a file reads at once. */
export class ExportSlices {
  /** Their ids, in the order of the file. */
  readonly all: string[][] = [];
  #bytes = 0;

  /** Whether they are more than one file can hold. */
  get isTooMany(): boolean {
    return this.all.length > MAX_SLICES;
  }

  add(id: string, bytes: number): void {
    const slice = this.all.at(-1);
    this.#bytes += bytes;
    if (slice && slice.length < MAX_SLICE && this.#bytes <= MAX_SLICE_BYTES) slice.push(id);
    else {
      this.all.push([id]);
      this.#bytes = bytes;
    }
  }
}
