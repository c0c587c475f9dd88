/** What is held, with the URL that it is found by. */
interface Named {
  url: string | undefined;
}

/** A URL with a link has 330 characters at the most: together they take less than 3 MB. */
const MAX_URLS = 5000;

/**
 * Entries that are held, by the URL that they were first visited under, as it came: who visits it
 * again is spared its taking apart, which costs as much as to look it up. The oldest go first.
 */
export class VisitedUrls<Held extends Named> {
  readonly #entries = new Map<string, Held>();

  get(url: string): Held | undefined {
    return this.#entries.get(url);
  }

  /** One URL each: what is dropped takes its own along, and nothing else keeps it alive. */
  add(url: string, held: Held): void {
    if (held.url !== undefined) return;
    const oldest = this.#entries.size < MAX_URLS ? undefined : this.#entries.values().next().value;
    if (oldest) this.drop(oldest);
    held.url = url;
    this.#entries.set(url, held);
  }

  drop(held: Held): void {
    if (held.url === undefined) return;
    this.#entries.delete(held.url);
    held.url = undefined;
  }
}
