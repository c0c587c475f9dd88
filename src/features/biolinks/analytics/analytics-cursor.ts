import { z } from "zod";
import { isBlank } from "../../../api/blank.ts";
import { invalid } from "../../../api/errors.ts";
import { fromBase64, toBase64, toBytes, toText } from "../../../platform/bytes.ts";
import { crc32 } from "../../../platform/crypto/crc32.ts";
import type { AskedQuestion } from "./analytics.schemas.ts";
import type { Position } from "./analytics-rows.ts";
import { type SlotRange, slotOf } from "./time-buckets.ts";

/** Where a page ends: of which question and range, and behind which row. */
export interface Cursor {
  range: SlotRange;
  after: Position;
}

/** A range may end in the year 9999, wherever that ends last: what is later is no time. */
const Whole = z
  .number()
  .int()
  .min(0)
  .max(slotOf(Date.UTC(10_000, 0, 2)));
const Content = z.tuple(
  [z.number(), Whole, Whole, Whole, z.number().nullable()],
  z.string().max(1000),
);

/** Tells one question from another. */
function digestOf({ metrics, interval, time_zone, traffic, compare, ...asked }: AskedQuestion) {
  const { limit: _limit, cursor: _cursor, ...rest } = asked as Record<string, unknown>;
  const others = Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1));
  const parts = [metrics, interval, time_zone, traffic, compare, others];
  return crc32(toBytes(JSON.stringify(parts)));
}

export function writeCursor(asked: AskedQuestion, { range, after }: Cursor): string {
  const { bucket, value, keys } = after;
  const content = [digestOf(asked), range.from, range.to, bucket, value, ...keys];
  return toBase64(toBytes(JSON.stringify(content)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The page's begin; undefined: the first page. @throws 422 for a cursor of another question */
export function readCursor(asked: AskedQuestion, cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined || isBlank(cursor)) return undefined;
  const content = Content.safeParse(contentOf(cursor));
  if (!content.success) {
    throw invalid("cursor", "Unknown cursor: use a next_cursor as it was answered.");
  }
  const [digest, from, to, bucket, value, ...keys] = content.data;
  if (digest !== digestOf(asked)) {
    throw invalid(
      "cursor",
      "This cursor belongs to a different question: send the parameters that it was answered to.",
    );
  }
  return { range: { from, to }, after: { bucket, value, keys } };
}

function contentOf(cursor: string): unknown {
  const bytes = fromBase64(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  try {
    return bytes && JSON.parse(toText(bytes));
  } catch {
    return undefined;
  }
}
