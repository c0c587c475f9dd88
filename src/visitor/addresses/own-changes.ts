import { now } from "../../platform/time.ts";

/** By then every replica has it, and this isolate has seen it in the log. */
const BEHIND_MILLISECONDS = 30_000;
const MOST = 10_000;

/** What this isolate has just changed: it is read from the primary, which no replica is ahead of. */
export class OwnChanges {
  readonly #changes = new Map<string, { number: number; until: number }>();
  #count = 0;

  /** How many there have been. */
  get count(): number {
    return this.#count;
  }

  note(what: string): void {
    this.#changes.delete(what);
    for (const oldest of this.#changes.keys()) {
      if (this.#changes.size < MOST) break;
      this.#changes.delete(oldest);
    }
    this.#changes.set(what, { number: ++this.#count, until: now() + BEHIND_MILLISECONDS });
  }

  has(what: string): boolean {
    const change = this.#changes.get(what);
    if (!change) return false;
    if (change.until > now()) return true;
    this.#changes.delete(what);
    return false;
  }

  /** Whether one of these was changed after there had been so many changes. */
  isSince(count: number, whats: string[]): boolean {
    if (count === this.#count) return false;
    return whats.some((what) => (this.#changes.get(what)?.number ?? 0) > count);
  }
}
