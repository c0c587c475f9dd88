/** What is held, with the URL that it is found by. */
interface Named {
  url: string | undefined;
}

const MAX_URLS = 5000;
/** Of a URL with a slug alone; longer ones have dots and slashes that lead nowhere. Together 3 MB. */
const MAX_LENGTH = 330;

/**
 * Entries that are held, by the URL that they were last visited under, as it came: who visits it
 * again is spared its taking apart, which costs as much as to look it up.
 */
export class VisitedUrls<Held extends Named> {
  readonly #entries = new Map<string, Held>();

  get(url: string): Held | undefined {
    return this.#entries.get(url);
  }

  /** One URL each: what is dropped takes its own along, and nothing else keeps it alive. */
  set(url: string, held: Held): void {
    if (url.length > MAX_LENGTH) return;
    this.drop(held);
    // All at once: to look for the oldest in a Map whose oldest go takes longer with each that went.
    if (this.#entries.size >= MAX_URLS) this.#entries.clear();
    held.url = url;
    this.#entries.set(url, held);
  }

  drop(held: Held): void {
    if (held.url === undefined) return;
    if (this.#entries.get(held.url) === held) this.#entries.delete(held.url);
    held.url = undefined;
  }
}
