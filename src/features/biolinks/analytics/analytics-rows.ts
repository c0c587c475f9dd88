import type { AnalyticsRow, Metric } from "./analytics.schemas.ts";
import type { Question, Span } from "./analytics-question.ts";
import type { LedgerRow } from "./ledger-shapes.ts";
import { nameField } from "./row-names.ts";
import { toZonedTimestamp } from "./time-buckets.ts";

/** What the ledger answered of one range. */
export interface Counted {
  /** Of {@link ledgerMetrics}. */
  rows: LedgerRow[];
  /** Clicks on blocks, which `ctr` is about, the block being the last key; undefined if not asked. */
  blockClicks: LedgerRow[] | undefined;
}

/** What the ledger is asked to count for some metrics. */
export function ledgerMetrics(metrics: readonly Metric[]): Exclude<Metric, "ctr">[] {
  const counted = metrics.filter((metric) => metric !== "ctr");
  return metrics.includes("ctr") && !counted.includes("views") ? [...counted, "views"] : counted;
}

type Value = number | null;

/** Where a row stands in the answer: by time, then by its first metric, then by its keys. */
export interface Position {
  bucket: number;
  value: Value;
  keys: string[];
}

export interface PlacedRow {
  at: Position;
  /** Most rows are only passed by on the way to a page. */
  make: () => AnalyticsRow;
}

interface Group {
  keys: string[];
  /** Values by bucket, in the order of the metrics; none where there were no hits. */
  values: Map<number, Value[]>;
  before: Map<number, Value[]>;
}

/** How many rows an answer has, with those that only fill its gaps. */
export function countRows(question: Question, counted: Counted): number {
  return groupsOf(question, counted, undefined).length * (question.span.edges.length - 1);
}

/** The rows of an answer in their order, one by one: gaps are filled with zeros. */
export function* answerRows(
  question: Question,
  current: Counted,
  previous: Counted | undefined,
): Generator<PlacedRow> {
  const { metrics, groupBy, span, previous: before } = question;
  const groups = groupsOf(question, current, previous);
  const none = valuesOf(metrics, undefined, undefined);
  const startIn = startsOf(question, span);
  const startBefore = before && startsOf(question, before);
  for (let bucket = 0; bucket < span.edges.length - 1; bucket++) {
    const placed = groups.map((group) => {
      const values = group.values.get(bucket) ?? none;
      return { group, values, at: { bucket, value: values[0] ?? null, keys: group.keys } };
    });
    placed.sort((one, other) => comparePositions(one.at, other.at));
    for (const { group, values, at } of placed) {
      const make = () => {
        const row: AnalyticsRow = { ...startIn(bucket) };
        for (const [n, dimension] of groupBy.entries()) {
          row[dimension] = group.keys[n] || null;
          const name = nameField(dimension);
          if (name) row[name] = null;
        }
        Object.assign(row, named(metrics, values));
        if (!before || !startBefore) return row;
        // Of an hour or a day that the range before was without, there is nothing to tell.
        const hasCounterpart = (before.edges[bucket] ?? 0) < (before.edges[bucket + 1] ?? 0);
        const past = {
          ...startBefore(bucket),
          ...named(metrics, group.before.get(bucket) ?? none),
        };
        return { ...row, previous: hasCounterpart ? past : null };
      };
      yield { at, make };
    }
  }
}

export function comparePositions(one: Position, other: Position): number {
  if (one.bucket !== other.bucket) return one.bucket - other.bucket;
  // A ctr of nothing stands behind one of zero.
  const difference = (other.value ?? -1) - (one.value ?? -1);
  if (difference !== 0) return difference;
  for (const [n, key] of one.keys.entries()) {
    const against = other.keys[n] ?? "";
    if (key !== against) return key < against ? -1 : 1;
  }
  return 0;
}

function groupsOf(
  { metrics, groupBy }: Question,
  current: Counted,
  previous: Counted | undefined,
): Group[] {
  const groups = new Map<string, Group>();
  // One row for all is there also when nothing happened.
  if (groupBy.length === 0) groups.set("[]", { keys: [], values: new Map(), before: new Map() });
  for (const [counted, side] of [
    [current, "values"],
    [previous, "before"],
  ] as const) {
    if (!counted) continue;
    const clicks = clicksByPlace(counted.blockClicks ?? []);
    for (const { bucket, keys, counts } of counted.rows) {
      const key = JSON.stringify(keys);
      let group = groups.get(key);
      if (!group) {
        // The groups are those of now.
        if (side === "before") continue;
        group = { keys, values: new Map(), before: new Map() };
        groups.set(key, group);
      }
      group[side].set(bucket, valuesOf(metrics, counts, clicks.get(placeOf(bucket, keys))));
    }
  }
  return [...groups.values()];
}

function clicksByPlace(rows: LedgerRow[]): Map<string, number> {
  const clicks = new Map<string, number>();
  for (const { bucket, keys, counts } of rows) {
    const place = placeOf(bucket, keys.slice(0, -1));
    clicks.set(place, (clicks.get(place) ?? 0) + (counts[0] ?? 0));
  }
  return clicks;
}

function placeOf(bucket: number, keys: string[]): string {
  return JSON.stringify([bucket, ...keys]);
}

function valuesOf(
  metrics: readonly Metric[],
  counts: number[] | undefined,
  blockClicks: number | undefined,
): Value[] {
  const counted = ledgerMetrics(metrics);
  const countOf = (metric: Metric) => counts?.[counted.indexOf(metric as never)] ?? 0;
  return metrics.map((metric) => {
    if (metric !== "ctr") return countOf(metric);
    const views = countOf("views");
    return views > 0 ? Math.round(((blockClicks ?? 0) / views) * 10_000) / 10_000 : null;
  });
}

function named(metrics: readonly Metric[], values: Value[]) {
  return Object.fromEntries(metrics.map((metric, n) => [metric, values[n]]));
}

/** When rows begin, each written once: to look into a time zone takes long. */
function startsOf({ interval, timeZone }: Question, { edges }: Span) {
  const starts: string[] = [];
  return (bucket: number): { start?: string } => {
    if (!interval) return {};
    const start = starts[bucket] ?? toZonedTimestamp(edges[bucket] ?? 0, timeZone);
    starts[bucket] = start;
    return { start };
  };
}
