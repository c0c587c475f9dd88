import { isId } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import type { LedgerStore } from "./ledger.repository.ts";
import { eachCount, KEY_UNIT, KeyedCounts, measureOf, VISITORS } from "./ledger-counts.ts";
import { SLOT_MILLISECONDS } from "./ledger-shapes.ts";
import type { ScannedCode, ScannedHour } from "./scans.ports.ts";

const MINUTE_MILLISECONDS = 60_000;
const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
const SLOTS_AN_HOUR = HOUR_MILLISECONDS / SLOT_MILLISECONDS;
/** So long after its end an hour takes scans; those that come later are told with the hour of then. */
const OPEN_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** A minute later it is told: by no clock that this ledger may move to is it open again. */
const TOLD_MILLISECONDS = OPEN_MILLISECONDS + MINUTE_MILLISECONDS;
/** Codes of an hour; what is beyond is told with the next. */
export const MAX_CODES_AN_HOUR = 10_000;
const HOURS_AT_ONCE = 24;
const SCANS = measureOf("scans", "human");

/** Adds up people's scans by hour and code, until the hour is told of. */
export class ScannedHours {
  readonly #store: LedgerStore;
  readonly #firstOpen: number;
  readonly #hours = new Map<number, KeyedCounts>();

  constructor(store: LedgerStore, time: number) {
    this.#store = store;
    this.#firstOpen = Math.floor((time - OPEN_MILLISECONDS) / HOUR_MILLISECONDS);
  }

  /** `slot`: since the epoch; `subject`: the code's number. */
  add(slot: number, subject: number, scans: number, visitors: number): void {
    let hour = Math.max(Math.floor(slot / SLOTS_AN_HOUR), this.#firstOpen);
    while (this.#isFull(hour, subject)) hour++;
    this.#at(hour).add(subject, SCANS, scans);
    if (visitors > 0) this.#at(hour).add(subject, VISITORS, visitors);
  }

  save(): void {
    for (const [hour, counts] of this.#hours) this.#store.putBody("scans", hour, counts.write());
  }

  #at(hour: number): KeyedCounts {
    const counts = this.#hours.get(hour) ?? KeyedCounts.read(this.#store.body("scans", hour));
    this.#hours.set(hour, counts);
    return counts;
  }

  #isFull(hour: number, subject: number): boolean {
    const { counts } = this.#at(hour);
    // A code has two numbers at most.
    return counts.size >= 2 * MAX_CODES_AN_HOUR && !counts.has(subject * KEY_UNIT + SCANS);
  }
}

/**
 * Tells of the hours that are closed, each until it is told: whatever ends this, it is told again.
 * `delay`: how much later than it could. When the next is due, if there is one.
 */
export async function tellScannedHours(
  store: LedgerStore,
  delay: number,
  tell: (hour: Omit<ScannedHour, "isOfShard">) => Promise<void>,
): Promise<number | undefined> {
  for (let told = 0; told < HOURS_AT_ONCE; told++) {
    const hour = store.firstKey("scans");
    if (hour === undefined) return undefined;
    const [from, to] = [hour * HOUR_MILLISECONDS, (hour + 1) * HOUR_MILLISECONDS];
    const due = to + TOLD_MILLISECONDS + delay;
    if (due > now()) return due;
    await tell({ from, to, codes: codesOf(store, hour) });
    store.purge("scans", { from: hour, before: hour + 1, limit: 1 });
  }
  return now();
}

function codesOf(store: LedgerStore, hour: number): ScannedCode[] {
  const numbers = new Map<number, { scans: number; visitors: number }>();
  eachCount(store.body("scans", hour) ?? new Uint8Array(), (key, count) => {
    const number = Math.floor(key / KEY_UNIT);
    const of = numbers.get(number) ?? { scans: 0, visitors: 0 };
    numbers.set(number, of);
    of[key % KEY_UNIT === VISITORS ? "visitors" : "scans"] = count;
  });
  const subjects = store.subjects([...numbers.keys()]);
  return [...numbers].flatMap(([number, counts]) => {
    const id = subjects.get(number)?.id;
    // What is over the number of subjects is counted for no code in particular.
    return id !== undefined && isId(id) ? { id, ...counts } : [];
  });
}
