import type { LedgerStore } from "./ledger.repository.ts";
import { ByteReader, ByteWriter } from "./ledger-bytes.ts";
import { DayCombinations } from "./ledger-combinations.ts";
import { KEY_UNIT, KeyedCounts, OTHER_VALUES } from "./ledger-counts.ts";
import {
  combinationsOf,
  countsKey,
  DIMENSIONS,
  partOf,
  SUMMARY,
  TOTALS,
  WORKSPACE,
} from "./ledger-keys.ts";
import {
  type CountedHits,
  PROPERTIES,
  type Property,
  type SubjectKind,
  TOLD_APART,
} from "./ledger-shapes.ts";
import type { LedgerTerms } from "./ledger-terms.ts";

/** Different values of a property that a subject may have in a day (UTC); then `(other)`. */
export const MAX_VALUES = 1000;
/** Likewise of the workspace's links, pages, blocks, codes and products. */
const MAX_SUBJECTS_A_DAY = 10_000;
/** A subject's day with more cells than that is added up besides, so that questions read little. */
export const CELLS_WITHOUT_SUMMARY = 2000;
/** Where the first of PROPERTIES stands among DIMENSIONS: the others follow it. */
const FIRST_PROPERTY = DIMENSIONS.indexOf(PROPERTIES[0]);

/** Properties of hits, as the numbers of their texts where there is room for them. */
function valuesOf(
  properties: CountedHits["properties"],
  terms: LedgerTerms,
  knownOf: (property: number) => { has(value: number): boolean; size: number },
): number[] {
  return PROPERTIES.map((property: Property, at) => {
    const text = properties[property] ?? "";
    const found = terms.find(text);
    const known = knownOf(at);
    if (found !== undefined && (found <= OTHER_VALUES || known.has(found))) return found;
    if (known.size >= MAX_VALUES) return OTHER_VALUES;
    return found ?? terms.make(text, property);
  });
}

/** How much is to be added to which measure. */
export type Adds = (readonly [measure: number, count: number])[];

/** A subject's whole day: by slot, and by each property. */
class Summary {
  readonly totals: KeyedCounts;
  readonly by: KeyedCounts[];
  readonly known: Set<number>[];

  constructor(sections: (Uint8Array | undefined)[]) {
    this.totals = KeyedCounts.read(sections[0]);
    this.by = PROPERTIES.map((_, at) => KeyedCounts.read(sections[at + 1]));
    this.known = this.by.map((counts) => counts.values());
  }

  static of(combinations: DayCombinations): Summary {
    const summary = new Summary([]);
    combinations.each((values, key, hits) => {
      summary.add(values, Math.floor(key / KEY_UNIT), key % KEY_UNIT, hits);
    });
    return summary;
  }

  add(values: number[], slot: number, measure: number, hits: number): void {
    this.totals.add(slot, measure, hits);
    for (const [at, value] of values.entries()) {
      this.by[at]?.add(value, measure, hits);
      this.known[at]?.add(value);
    }
  }

  write(): Uint8Array {
    const writer = new ByteWriter();
    for (const counts of [this.totals, ...this.by]) {
      const section = counts.write();
      writer.number(section.length);
      writer.bytes(section);
    }
    return writer.finish();
  }
}

/** Of a body of a subject's summary: its totals by slot, or its day by a property. */
export function summarySection(body: Uint8Array, property?: Property): Uint8Array {
  const reader = new ByteReader(body);
  const wanted = property === undefined ? 0 : PROPERTIES.indexOf(property) + 1;
  for (let at = 0; at < wanted; at++) reader.part(reader.number());
  return reader.part(reader.number());
}

/** What is known of a subject and day (UTC), while hits are added to it. */
export class SubjectDay {
  readonly #store: LedgerStore;
  readonly #key: number;
  readonly #combinations: DayCombinations;
  readonly #isFull: boolean;
  #summary: Summary | undefined;

  /** `isFull`: of the store, asked once a compaction: each time is a statement of SQL. */
  constructor(
    store: LedgerStore,
    {
      day,
      subject,
      kind,
      isFull,
    }: { day: number; subject: number; kind: SubjectKind; isFull: boolean },
  ) {
    this.#store = store;
    this.#key = countsKey(day, subject, combinationsOf(kind));
    this.#isFull = isFull;
    this.#combinations = DayCombinations.read(store.body("counts", this.#key));
    const summary = store.body("counts", this.#key + SUMMARY);
    if (!summary) return;
    const sections = [undefined, ...PROPERTIES].map((of) => summarySection(summary, of));
    this.#summary = new Summary(sections);
  }

  /** The numbers of hits' properties, as this day can take them. */
  valuesOf(properties: CountedHits["properties"], terms: LedgerTerms): number[] {
    const { values } = this.#combinations;
    const known = this.#summary?.known;
    return valuesOf(properties, terms, (at) => known?.[at] ?? values[at] ?? new Set());
  }

  add(values: number[], slot: number, measure: number, hits: number): void {
    const { cells } = this.#combinations;
    // Before any combination becomes coarser: until then they are exact.
    if (this.#isFull || cells >= CELLS_WITHOUT_SUMMARY || this.#combinations.isFull(slot)) {
      this.#summary ??= Summary.of(this.#combinations);
    }
    this.#combinations.add(values, slot, measure, hits, this.#isFull);
    this.#summary?.add(values, slot, measure, hits);
  }

  save(): void {
    this.#store.putBody("counts", this.#key, this.#combinations.write());
    if (this.#summary) this.#store.putBody("counts", this.#key + SUMMARY, this.#summary.write());
  }
}

/** The same of all of a workspace: its totals by slot, and its whole day by each dimension. */
export class WorkspaceDay {
  readonly #store: LedgerStore;
  readonly #day: number;
  readonly #totals: KeyedCounts;
  readonly #by: KeyedCounts[];
  readonly #known: Set<number>[];
  readonly #touched = new Set<number>();
  /** Of hits whose properties are one object: their values, and counts by measure. */
  readonly #sums = new Map<object, { values: number[]; counts: Map<number, number> }>();

  constructor(store: LedgerStore, day: number) {
    this.#store = store;
    this.#day = day;
    const read = (part: number) =>
      KeyedCounts.read(store.body("counts", countsKey(day, WORKSPACE, part)));
    this.#totals = read(TOTALS);
    this.#by = DIMENSIONS.map((dimension) => read(partOf(dimension)));
    this.#known = this.#by.map((counts) => counts.values());
  }

  /**
   * Adds hits of a slot, by measures. Hits of a packet share their properties: those wait until
   * {@link save}. What is told apart is no hit of the workspace besides.
   */
  add(given: CountedHits, of: { subject: number; slot: number }, adds: Adds, terms: LedgerTerms) {
    const { subject, properties } = given;
    const kind = DIMENSIONS.indexOf(subject);
    const known = this.#known[kind];
    const isOver = !known?.has(of.subject) && (known?.size ?? 0) >= MAX_SUBJECTS_A_DAY;
    const value = isOver ? OTHER_VALUES : of.subject;
    for (const [measure, count] of adds) this.#addTo(kind, value, measure, count);
    if (subject === TOLD_APART) return;
    const sums = this.#sums.get(properties) ?? this.#begin(properties, terms);
    for (const [measure, count] of adds) {
      this.#totals.add(of.slot, measure, count);
      sums.counts.set(measure, (sums.counts.get(measure) ?? 0) + count);
    }
  }

  #begin(properties: CountedHits["properties"], terms: LedgerTerms) {
    const known = (at: number) => this.#known[FIRST_PROPERTY + at] ?? new Set();
    const values = valuesOf(properties, terms, known);
    for (const [at, value] of values.entries()) this.#known[FIRST_PROPERTY + at]?.add(value);
    const sums = { values, counts: new Map<number, number>() };
    this.#sums.set(properties, sums);
    return sums;
  }

  #addTo(at: number, value: number, measure: number, count: number): void {
    this.#by[at]?.add(value, measure, count);
    this.#known[at]?.add(value);
    this.#touched.add(at);
  }

  save(): void {
    for (const { values, counts } of this.#sums.values()) {
      for (const [measure, count] of counts) {
        for (const [at, value] of values.entries())
          this.#addTo(FIRST_PROPERTY + at, value, measure, count);
      }
    }
    this.#sums.clear();
    const put = (part: number, counts: KeyedCounts) =>
      this.#store.putBody("counts", countsKey(this.#day, WORKSPACE, part), counts.write());
    put(TOTALS, this.#totals);
    for (const at of this.#touched) {
      const [dimension, counts] = [DIMENSIONS[at], this.#by[at]];
      if (dimension && counts) put(partOf(dimension), counts);
    }
  }
}
