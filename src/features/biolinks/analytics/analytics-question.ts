import { ApiError, type FieldErrors, invalid } from "../../../api/errors.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { type AskedQuestion, DIMENSIONS, type Metric } from "./analytics.schemas.ts";
import {
  asksApart,
  type Dimension,
  type LedgerQuestion,
  SLOT_MILLISECONDS,
  SUBJECTS,
  TOLD_APART,
} from "./ledger-shapes.ts";
import { edgesOf, type Interval, type SlotRange } from "./time-buckets.ts";
import { findRange, KEPT_MONTHS, oldestSlot } from "./time-range.ts";

/** So many begins of rows in time at most: two months by the hour, four years by the day. */
export const MAX_BUCKETS = 1500;

/** A range, and the slots at which its rows begin, the last being its end. */
export interface Span extends SlotRange {
  edges: number[];
}

/** What is asked, as it is answered. */
export interface Question {
  metrics: Metric[];
  groupBy: Dimension[];
  interval: Interval | undefined;
  timeZone: string;
  traffic: LedgerQuestion["traffic"];
  filters: LedgerQuestion["filters"];
  span: Span;
  /** The range before, when it is to be compared: with an edge for each of the span's. */
  previous: Span | undefined;
}

/**
 * Judges what is asked. `frozen`: the range that the first page was of, which does not move on with
 * the clock. @throws 422
 */
export function readQuestion(asked: AskedQuestion, now: number, frozen?: SlotRange): Question {
  const { metrics, interval, time_zone: timeZone, traffic } = asked;
  const groupBy = asked.group_by ?? [];
  const filters = filtersOf(asked);
  const errors: FieldErrors = {};
  const areSubjects = [...groupBy, ...filters.map(({ dimension }) => dimension)].filter(isSubject);
  if (groupBy.filter(isSubject).length > 1) {
    errors.group_by = [`May name one of ${SUBJECTS.join(", ")}: no hit is of two.`];
  }
  if (asksApart({ groupBy, filters })) {
    // Such a hit says of what it is, and of no block, page or link: any answer would be amiss.
    for (const kind of SUBJECTS.filter((subject) => subject !== TOLD_APART)) {
      const message = `Not with ${TOLD_APART}: its hits do not tell their ${kind}.`;
      if (asked[kind]) errors[kind] = [message];
      if (groupBy.includes(kind)) errors.group_by ??= [message];
    }
  }
  if (asked[TOLD_APART]?.isExcluded && !groupBy.includes(TOLD_APART)) {
    const message = `With a minus only with group_by=${TOLD_APART}: hits of other kinds do not tell it.`;
    errors[TOLD_APART] = [message];
  }
  if (metrics.includes("ctr") && areSubjects.length > 0) {
    const message = `ctr relates hits of blocks to those of pages: not with ${areSubjects[0]}.`;
    errors.metrics = [message];
  }
  if (metrics.includes("ctr") && (asked.referrer || groupBy.includes("referrer"))) {
    const message = "Not ctr with referrer: clicks on blocks come from their page, and have none.";
    errors.metrics ??= [message];
  }
  if (metrics.includes("ctr") && groupBy.length > 1) errors.group_by = ["May be one with ctr."];
  if (asked.period && (asked.from ?? asked.to) !== undefined) {
    errors.period = ["Send either period or from and to."];
  }
  if (asked.to !== undefined && asked.from === undefined) {
    errors.from = ["Is required with to."];
  }
  if (Object.keys(errors).length > 0) throw new ApiError("validation_failed", { errors });
  const found = findRange(asked, timeZone, now);
  const range = { ...found, ...frozen };
  assertRange(asked, range, oldestSlot(now, timeZone));
  const edges = edgesOf(range, interval, timeZone, MAX_BUCKETS);
  if (!edges) {
    const message = `Would make more than ${MAX_BUCKETS} rows: ask for a longer one, or for less time.`;
    throw invalid("interval", message);
  }
  const span = spanOf(edges);
  const previous = asked.compare && spanOf(found.before(edges));
  if (previous && previous.from < oldestSlot(now, timeZone)) {
    throw invalid("compare", `The range before is more than ${KEPT_MONTHS} months back.`);
  }
  return { metrics, groupBy, interval, timeZone, traffic, filters, span, previous };
}

function spanOf(edges: number[]): Span {
  return { from: edges[0] ?? 0, to: edges.at(-1) ?? 0, edges };
}

function isSubject(dimension: Dimension): boolean {
  return (SUBJECTS as readonly Dimension[]).includes(dimension);
}

function filtersOf(asked: AskedQuestion): LedgerQuestion["filters"] {
  return DIMENSIONS.flatMap((dimension) => {
    const filter = asked[dimension];
    return filter ? [{ dimension, ...filter }] : [];
  });
}

function assertRange(asked: AskedQuestion, { from, to }: SlotRange, oldest: number): void {
  if (from >= to) {
    throw asked.to === undefined
      ? invalid("from", "Must be in the past, where to is left out.")
      : invalid("to", "Must be after from.");
  }
  if (from >= oldest) return;
  const first = toTimestamp(oldest * SLOT_MILLISECONDS);
  throw invalid("from", `May be at most ${KEPT_MONTHS} months back, at ${first}.`);
}
