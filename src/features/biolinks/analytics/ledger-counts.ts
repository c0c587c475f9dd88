import { ByteReader, ByteWriter } from "./ledger-bytes.ts";
import { COUNTS, type Count, TRAFFIC, type TrafficKind } from "./ledger-shapes.ts";

/** What is counted apart: each count of each kind of traffic, and the day's new visitors. */
export const VISITORS = COUNTS.length * TRAFFIC.length;
const MEASURES = VISITORS + 1;
/**
 * A key is `of * KEY_UNIT + measure`: of a slot of the day, or of a value's number. Minutes have each
 * count twice, as products' are behind the others: 2 × VISITORS may not be more.
 */
export const KEY_UNIT = 32;
export const SLOTS_A_DAY = 96;
/** What a text's number is when there is none, and for what is over a bound. */
export const NONE = 0;
export const OTHER_VALUES = 1;

export function measureOf(count: Count, traffic: TrafficKind): number {
  return COUNTS.indexOf(count) * TRAFFIC.length + TRAFFIC.indexOf(traffic);
}

/** Which measures a question's metrics add up: the place of the metric, or -1, by measure. */
export function placesOf(
  metrics: (Count | "visitors")[],
  traffic: "human" | "crawler" | "all",
): Int8Array {
  const places = new Int8Array(MEASURES).fill(-1);
  const kinds = traffic === "all" ? TRAFFIC : [traffic];
  for (const [place, metric] of metrics.entries()) {
    if (metric === "visitors") places[VISITORS] = place;
    else for (const kind of kinds) places[measureOf(metric, kind)] = place;
  }
  return places;
}

/** Numbers by key: of a day by its slots, or of a day by the values of one dimension. */
export class KeyedCounts {
  readonly counts = new Map<number, number>();

  static read(body: Uint8Array | undefined): KeyedCounts {
    const read = new KeyedCounts();
    if (body) eachCount(body, (key, count) => read.counts.set(key, count));
    return read;
  }

  add(of: number, measure: number, count: number): void {
    const key = of * KEY_UNIT + measure;
    this.counts.set(key, (this.counts.get(key) ?? 0) + count);
  }

  /** The different values. */
  values(): Set<number> {
    return new Set(Array.from(this.counts.keys(), (key) => Math.floor(key / KEY_UNIT)));
  }

  write(): Uint8Array {
    const writer = new ByteWriter();
    let last = 0;
    for (const key of Float64Array.from(this.counts.keys()).sort()) {
      writer.number(key - last);
      writer.number(this.counts.get(key) ?? 0);
      last = key;
    }
    return writer.finish();
  }
}

/** Calls back with each key of a body of {@link KeyedCounts} and its count. */
export function eachCount(body: Uint8Array, visit: (key: number, count: number) => void): void {
  const reader = new ByteReader(body);
  let key = 0;
  while (!reader.isAtEnd) {
    key += reader.number();
    visit(key, reader.number());
  }
}
