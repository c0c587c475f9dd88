/** What is held, with the URL that it is found by. */
interface Named {
  url: string | undefined;
}

/** Of a URL with a slug alone; longer ones have dots and slashes that lead nowhere. */
const MAX_LENGTH = 330;
/** All URLs together, each counted with ENTRY_CHARACTERS more for its entry: 4 MB. */
const MAX_CHARACTERS = 4_000_000;
const ENTRY_CHARACTERS = 100;

/**
 * Entries that are held, by the URL that they were last visited under, as it came: who visits it
 * again is spared its taking apart, which costs as much as to look it up.
 */
export class VisitedUrls<Held extends Named> {
  readonly #entries = new Map<string, Held>();
  #characters = 0;

  get(url: string): Held | undefined {
    return this.#entries.get(url);
  }

  /** One URL each: what is dropped takes its own along, and nothing else keeps it alive. */
  set(url: string, held: Held): void {
    if (url.length > MAX_LENGTH) return;
    this.drop(held);
    const other = this.#entries.get(url);
    if (other) this.drop(other);
    // All at once: to look for the oldest in a Map whose oldest go takes longer with each that went.
    if (this.#characters + charactersOf(url) > MAX_CHARACTERS) this.#clear();
    held.url = url;
    this.#characters += charactersOf(url);
    this.#entries.set(url, held);
  }

  drop(held: Held): void {
    if (held.url === undefined) return;
    if (this.#entries.get(held.url) === held) {
      this.#entries.delete(held.url);
      this.#characters -= charactersOf(held.url);
    }
    held.url = undefined;
  }

  /** Nothing is to keep the URLs: what is held may be held for days. */
  #clear(): void {
    for (const held of this.#entries.values()) held.url = undefined;
    this.#entries.clear();
    this.#characters = 0;
  }
}

function charactersOf(url: string): number {
  return ENTRY_CHARACTERS + url.length;
}
