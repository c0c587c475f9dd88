import type { LedgerStore } from "./ledger.repository.ts";
import { type BucketDay, bucketDays } from "./ledger-buckets.ts";
import { openCombinations } from "./ledger-combinations.ts";
import { type Conditions, readConditions } from "./ledger-conditions.ts";
import { eachCount, KEY_UNIT, OTHER_VALUES, placesOf } from "./ledger-counts.ts";
import { summarySection } from "./ledger-days.ts";
import {
  combinationsOf,
  countsKey,
  PART_UNIT,
  partOf,
  readKey,
  SUMMARY,
  TOTALS,
  WORKSPACE,
} from "./ledger-keys.ts";
import { oldestDay } from "./ledger-retention.ts";
import { toRows } from "./ledger-rows.ts";
import {
  type LedgerQuestion,
  type LedgerRow,
  PROPERTIES,
  QUESTION_TOO_WIDE,
  SLOT_MILLISECONDS,
  TOLD_APART,
} from "./ledger-shapes.ts";
import { Tally } from "./ledger-tally.ts";

/** What a question may read, a row counting as some bytes more: about a second's work. */
const MAX_BYTES = 96_000_000;
const ROW_BYTES = 100;
/** Likewise numbers in it that are looked at: those of many small bodies take longer than the bytes. */
const MAX_CELLS = 5_000_000;

/** Answers a question by what is compacted. @throws {@link QUESTION_TOO_WIDE} */
export function answerQuestion(
  store: LedgerStore,
  question: LedgerQuestion,
  time: number,
): { rows: LedgerRow[]; unattributed: number[] } {
  const conditions = readConditions(store, question);
  if (!conditions) return { rows: [], unattributed: question.metrics.map(() => 0) };
  const newest = Math.floor(time / SLOT_MILLISECONDS);
  const days = bucketDays(question.buckets, oldestDay(time), newest);
  const reading = new Reading(store, question, conditions);
  if (conditions.subjects) reading.ofSubjects(conditions.subjects, days);
  else reading.ofWorkspace(days);
  const { tally, unattributed } = reading;
  return { rows: toRows(store, question.groupBy, tally), unattributed };
}

class Reading {
  readonly tally: Tally;
  /** By metric: see {@link LedgerAnswer}. */
  readonly unattributed: number[];
  readonly #store: LedgerStore;
  readonly #conditions: Conditions;
  readonly #places: Int8Array;
  /** Where the combinations are that count. */
  readonly #part: number;
  #bytes = 0;
  #cells = 0;

  constructor(store: LedgerStore, { metrics, traffic }: LedgerQuestion, conditions: Conditions) {
    this.#store = store;
    this.#conditions = conditions;
    this.#places = placesOf(metrics, traffic);
    this.#part = combinationsOf(conditions.isApart ? TOLD_APART : undefined);
    this.tally = new Tally(metrics.length);
    this.unattributed = metrics.map(() => 0);
  }

  /** Few subjects: from the summary of a day where it has one that tells, else its combinations. */
  ofSubjects(subjects: number[], days: BucketDay[]): void {
    const { properties } = this.#conditions;
    const left = new Map<number, BucketDay>();
    for (const day of days) {
      if (left.size * ROW_BYTES > MAX_BYTES) throw new Error(QUESTION_TOO_WIDE);
      for (const subject of subjects) left.set(countsKey(day.day, subject, this.#part), day);
    }
    if (properties.length < 2) {
      const [property] = properties;
      const told = [...left].filter(([, { whole }]) => property === undefined || whole >= 0);
      for (const { key, body } of this.#store.counts(told.map(([at]) => at + SUMMARY))) {
        const day = left.get(key - SUMMARY);
        if (!day) continue;
        left.delete(key - SUMMARY);
        const of = property === undefined ? undefined : PROPERTIES[property];
        this.#addSummary(this.#read(summarySection(body, of)), day, readKey(key).subject);
      }
    }
    for (const { key, body } of this.#store.counts([...left.keys()])) {
      const day = left.get(key);
      if (day) this.#addCombinations(this.#read(body), day, readKey(key).subject);
    }
  }

  /** All of the workspace: whole days from what is added up of it, where that tells, else by subject. */
  ofWorkspace(days: BucketDay[]): void {
    const { part, isBySlot } = this.#summaryPart();
    const told = new Map<number, BucketDay>();
    for (const day of days) {
      if (part !== undefined && (isBySlot || day.whole >= 0))
        told.set(countsKey(day.day, WORKSPACE, part), day);
      else this.#scan(day);
    }
    for (const { key, body } of this.#store.counts([...told.keys()])) {
      const day = told.get(key);
      if (day) this.#addSummary(this.#read(body), day);
    }
  }

  /** Which of the workspace's bodies answers for a whole day, if any does. */
  #summaryPart(): { part?: number; isBySlot?: boolean } {
    const { groupBy, properties, excluded } = this.#conditions;
    const kinds = groupBy.filter(({ subject }) => subject !== undefined);
    const [property] = properties;
    const [kind] = kinds;
    if (kinds.length === 0 && excluded.size === 0 && properties.length < 2) {
      const of = property === undefined ? undefined : PROPERTIES[property];
      return of ? { part: partOf(of) } : { part: TOTALS, isBySlot: true };
    }
    if (kinds.length === 1 && kind?.subject && groupBy.length === 1 && properties.length === 0)
      return { part: partOf(kind.subject) };
    return {};
  }

  #scan(day: BucketDay): void {
    const from = countsKey(day.day, WORKSPACE, 0);
    const before = countsKey(day.day + 1, WORKSPACE, 0);
    const part = { unit: PART_UNIT, part: this.#part };
    for (const { key, body } of this.#store.countsBetween(from, before, part)) {
      this.#addCombinations(this.#read(body), day, readKey(key).subject);
    }
  }

  #read(body: Uint8Array): Uint8Array {
    this.#bytes += body.length + ROW_BYTES;
    if (this.#bytes > MAX_BYTES || this.#cells > MAX_CELLS) throw new Error(QUESTION_TOO_WIDE);
    return body;
  }

  /** Totals by slot, or a whole day by the one dimension that is asked for. */
  #addSummary(body: Uint8Array, day: BucketDay, subject?: number): void {
    const { groupBy, properties, filters, open, excluded, kindOf } = this.#conditions;
    const [property] = properties;
    const filter = filters.filter((of) => of.property === property);
    const kinds = groupBy.filter((of) => of.subject !== undefined);
    const isOfKind = kinds.length > 0 && subject === undefined;
    const isBySlot = property === undefined && !isOfKind;
    if (subject !== undefined && kinds.some((of) => of.subject !== kindOf(subject))) return;
    // Where a group's number stands: the subject itself, or what is read.
    const [first, second] = groupBy.map((of) =>
      of.subject !== undefined && subject !== undefined ? subject : undefined,
    );
    const [hasFirst, hasSecond] = [groupBy.length > 0, groupBy.length > 1];
    const places = this.#places;
    const other = isOfKind || (property !== undefined && open.has(property)) ? OTHER_VALUES : -1;
    const passes = isOfKind
      ? (of: number) => !excluded.has(of)
      : filter.length > 0 && ((of: number) => filter.every((one) => one.passes(of)));
    eachCount(body, (key, count) => {
      this.#cells++;
      const metric = places[key % KEY_UNIT] ?? -1;
      const of = Math.floor(key / KEY_UNIT);
      const bucket = isBySlot ? (day.slots[of] ?? -1) : day.whole;
      if (metric < 0 || bucket < 0) return;
      if (of === other) this.#addUnattributed(metric, count);
      if (passes && !passes(of)) return;
      const one = hasFirst ? (first ?? of) : 0;
      const two = hasSecond ? (second ?? of) : 0;
      this.tally.add(bucket, one, two, metric, count);
    });
  }

  #addCombinations(body: Uint8Array, { slots }: BucketDay, subject: number): void {
    const { groupBy, properties, filters, open, excluded, kindOf } = this.#conditions;
    if (excluded.has(subject)) return;
    for (const of of groupBy) {
      if (of.subject !== undefined && of.subject !== kindOf(subject)) return;
    }
    const { columns, eachCell } = openCombinations(body, properties);
    const columnOf = (property = -1) => columns[properties.indexOf(property)];
    const tests = filters.map(({ property, passes }) => {
      const column = columnOf(property);
      const isOpen = (value: number) => value === OTHER_VALUES && open.has(property);
      const mayPass = column?.values.map((value) => passes(value) || isOpen(value));
      return { column, passing: column?.values.map(passes), mayPass };
    });
    const others = columns.filter(
      ({ values }, at) => open.has(properties[at] ?? -1) && values.includes(OTHER_VALUES),
    );
    const [first, second] = groupBy.map(({ property }) => columnOf(property));
    const [hasFirst, hasSecond] = [groupBy.length > 0, groupBy.length > 1];
    const places = this.#places;
    let last = -1;
    let [isWanted, isOpen] = [false, false];
    let [one, two] = [0, 0];
    eachCell((at, key, count) => {
      this.#cells++;
      if (at !== last) {
        last = at;
        isWanted = true;
        isOpen = others.some((column) => column.valueOf(at) === OTHER_VALUES);
        for (const { column, passing, mayPass } of tests) {
          const place = column?.placeOf(at) ?? 0;
          isWanted &&= passing?.[place] ?? false;
          isOpen &&= mayPass?.[place] ?? false;
        }
        one = hasFirst ? (first?.valueOf(at) ?? subject) : 0;
        two = hasSecond ? (second?.valueOf(at) ?? subject) : 0;
      }
      if (!isWanted && !isOpen) return;
      const metric = places[key % KEY_UNIT] ?? -1;
      const bucket = slots[Math.floor(key / KEY_UNIT)] ?? -1;
      if (metric < 0 || bucket < 0) return;
      if (isOpen) this.#addUnattributed(metric, count);
      if (isWanted) this.tally.add(bucket, one, two, metric, count);
    });
  }

  #addUnattributed(metric: number, count: number): void {
    this.unattributed[metric] = (this.unattributed[metric] ?? 0) + count;
  }
}
