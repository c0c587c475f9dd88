import type { LedgerStore } from "./ledger.repository.ts";
import { NONE, OTHER_VALUES } from "./ledger-counts.ts";
import type { Property } from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";

/** Texts that a ledger may take in a day (UTC) that it has not had; then `(other)`. */
export const MAX_NEW_TERMS_A_DAY = { invented: 20_000, known: 5000 };
type Budget = keyof typeof MAX_NEW_TERMS_A_DAY;
/** What a stranger may invent: it takes no room from countries, devices, domains and so on. */
const INVENTED: ReadonlySet<Property> = new Set([
  "referrer",
  "utm_source",
  "utm_medium",
  "utm_campaign",
]);
const FIRST_TERM = OTHER_VALUES + 1;
/** A number of a text has 24 bits. */
export const MAX_TERM = 2 ** 24 - 1;
const HELD = 20_000;
/** How many numbers are tried, once the last one was given, for one whose text is forgotten. */
const TRIES = 8;

/** The numbers of texts: a text is written once in a ledger. */
export class LedgerTerms {
  readonly #store: LedgerStore;
  readonly #held = new Map<string, number>();
  #month = 0;
  #day = 0;
  #made: Record<Budget, number> = { invented: 0, known: 0 };
  #isNew = false;
  #isFull = false;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /**
   * Call before {@link find} and {@link make}: months and days (UTC) since the epoch; `isFull`: of the
   * store.
   */
  begin({ month, day, isFull }: { month: number; day: number; isFull: boolean }): void {
    // What is held was used in its month: of another month it has to be said again.
    if (month !== this.#month || this.#held.size > HELD) this.#held.clear();
    this.#month = month;
    this.#day = day;
    this.#isFull = isFull;
    this.#made = this.#store.terms.newOn(day) ?? { invented: 0, known: 0 };
    this.#isNew = false;
  }

  find(text: string): number | undefined {
    if (text === "") return NONE;
    if (text === OTHER) return OTHER_VALUES;
    const held = this.#held.get(text);
    if (held !== undefined) return held;
    const found = this.#store.terms.find(text);
    if (found === undefined) return undefined;
    this.#store.terms.use(found, this.#month);
    this.#held.set(text, found);
    return found;
  }

  /** The number of a text that has none; that of `(other)` when there is no room for it. */
  make(text: string, property: Property): number {
    const budget = INVENTED.has(property) ? "invented" : "known";
    if (this.#made[budget] >= MAX_NEW_TERMS_A_DAY[budget] || this.#isFull) return OTHER_VALUES;
    const id = this.#freeNumber();
    if (id === undefined) return OTHER_VALUES;
    this.#store.terms.add(id, text, this.#month);
    this.#held.set(text, id);
    this.#made[budget]++;
    this.#isNew = true;
    return id;
  }

  end(): void {
    if (this.#isNew) this.#store.terms.putNewOn(this.#day, this.#made);
  }

  #freeNumber(): number | undefined {
    const next = Math.max(this.#store.terms.last() + 1, FIRST_TERM);
    if (next <= MAX_TERM) return next;
    for (let tries = 0; tries < TRIES; tries++) {
      const at = FIRST_TERM + Math.floor(Math.random() * (MAX_TERM - FIRST_TERM + 1));
      if (!this.#store.terms.texts([at]).has(at)) return at;
    }
    return undefined;
  }
}
