import type { LedgerStore } from "./ledger.repository.ts";
import { FIRST_SUBJECT, MAX_SUBJECTS } from "./ledger-keys.ts";
import type { SubjectKind } from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";

/** A bound on memory: some 2 MB. */
const HELD = 20_000;

/** The numbers of subjects. Held from one compaction to the next: a subject keeps its number for ever. */
export class SubjectNumbers {
  readonly #store: LedgerStore;
  readonly #held = new Map<string, number>();
  #last: number | undefined;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /** Call before a compaction. */
  begin(): void {
    if (this.#held.size > HELD) this.#held.clear();
  }

  /** A new one for a subject that has none; that of `(other)` when no more are given. */
  of(kind: SubjectKind, id: string): number {
    const name = `${kind} ${id}`;
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const number = this.#store.findSubject(kind, id) ?? this.#make(kind, id);
    this.#held.set(name, number);
    return number;
  }

  #make(kind: SubjectKind, id: string): number {
    this.#last ??= this.#store.lastSubject() ?? 0;
    const last = this.#last;
    // What is left beyond the bound is for one of each kind.
    if (last >= MAX_SUBJECTS && id !== OTHER) return this.of(kind, OTHER);
    const number = Math.max(last + 1, FIRST_SUBJECT);
    this.#store.addSubject(kind, id, number);
    this.#last = number;
    return number;
  }
}
