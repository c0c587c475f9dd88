import type { LedgerStore } from "./ledger.repository.ts";
import { FIRST_SUBJECT, MAX_SUBJECTS } from "./ledger-keys.ts";
import type { SubjectKind } from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";

/** The numbers of subjects, in one compaction. */
export class SubjectNumbers {
  readonly #store: LedgerStore;
  readonly #known = new Map<string, number>();
  #last: number | undefined;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /** A new one for a subject that has none; that of `(other)` when no more are given. */
  of(kind: SubjectKind, id: string): number {
    const name = `${kind} ${id}`;
    const number =
      this.#known.get(name) ?? this.#store.findSubject(kind, id) ?? this.#make(kind, id);
    this.#known.set(name, number);
    return number;
  }

  #make(kind: SubjectKind, id: string): number {
    const last = this.#last ?? this.#store.lastSubject() ?? 0;
    // What is left beyond the bound is for one of each kind.
    if (last >= MAX_SUBJECTS && id !== OTHER) return this.of(kind, OTHER);
    const number = Math.max(last + 1, FIRST_SUBJECT);
    this.#store.addSubject(kind, id, number);
    this.#last = number;
    return number;
  }
}
