import type { LedgerStore } from "./ledger.repository.ts";
import { NONE, OTHER_VALUES } from "./ledger-counts.ts";
import { OTHER } from "./referrer.ts";

/** Texts that a ledger may take in a day (UTC) that it has not had; then `(other)`. */
export const MAX_NEW_TERMS_A_DAY = 20_000;
const FIRST_TERM = OTHER_VALUES + 1;
/** A number of a text has 24 bits. */
const MAX_TERM = 2 ** 24 - 1;
const HELD = 20_000;

/** The numbers of texts: a text is written once in a ledger. */
export class LedgerTerms {
  readonly #store: LedgerStore;
  readonly #held = new Map<string, number>();
  #month = 0;
  #day = 0;
  #made = 0;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /** Call before {@link find} and {@link make}: months and days (UTC) since the epoch. */
  begin(month: number, day: number): void {
    // What is held was used in its month: of another month it has to be said again.
    if (month !== this.#month || this.#held.size > HELD) this.#held.clear();
    this.#month = month;
    this.#day = day;
    this.#made = this.#store.newTerms(day);
  }

  find(text: string): number | undefined {
    if (text === "") return NONE;
    if (text === OTHER) return OTHER_VALUES;
    const held = this.#held.get(text);
    if (held !== undefined) return held;
    const found = this.#store.findTerm(text);
    if (found === undefined) return undefined;
    this.#store.useTerm(found, this.#month);
    this.#held.set(text, found);
    return found;
  }

  /** The number of a text that has none; that of `(other)` when there were too many today. */
  make(text: string): number {
    if (this.#made >= MAX_NEW_TERMS_A_DAY) return OTHER_VALUES;
    const id = this.#store.addTerm(text, this.#month, FIRST_TERM);
    if (id > MAX_TERM) throw new Error("A ledger has no numbers left for texts.");
    this.#held.set(text, id);
    this.#made++;
    return id;
  }

  end(): void {
    if (this.#made > 0) this.#store.putNewTerms(this.#day, this.#made);
  }
}
