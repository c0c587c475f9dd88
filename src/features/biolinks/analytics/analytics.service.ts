import { invalid } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import type { AnalyticsMeta, AnalyticsRow, AskedQuestion } from "./analytics.schemas.ts";
import { readCursor, writeCursor } from "./analytics-cursor.ts";
import { type Question, readQuestion, type Span } from "./analytics-question.ts";
import {
  answerRows,
  type Counted,
  comparePositions,
  countRows,
  ledgerMetrics,
  type PlacedRow,
} from "./analytics-rows.ts";
import { ledgerOf, ofNewer } from "./ledger-client.ts";
import {
  asksApart,
  type Ledger,
  type LedgerAnswer,
  type LedgerQuestion,
  QUESTION_TOO_WIDE,
} from "./ledger-shapes.ts";
import { toZonedTimestamp } from "./time-buckets.ts";

/** Of one answer on all its pages, and of an export. */
export const MAX_ROWS = 100_000;

type Unattributed = Pick<AnalyticsMeta, "unattributed">;
type AskedLedger = Pick<Ledger, "answer" | "answerNewer">;

interface Answered {
  rows: Generator<PlacedRow>;
  meta: AnalyticsMeta;
}

/** One page of what is asked. @throws 422 */
export async function askAnalytics(
  { env, workspaceId }: Context,
  asked: AskedQuestion & { limit: number; cursor?: string | undefined },
  ledger: AskedLedger = ledgerOf(env, workspaceId),
): Promise<{ data: AnalyticsRow[]; next_cursor: string | null; meta: AnalyticsMeta }> {
  const cursor = readCursor(asked, asked.cursor);
  const question = readQuestion(asked, now(), cursor?.range);
  const { rows, meta } = await answer(ledger, question);
  const page: PlacedRow[] = [];
  for (const placed of rows) {
    if (cursor && comparePositions(placed.at, cursor.after) <= 0) continue;
    page.push(placed);
    if (page.length > asked.limit) break;
  }
  const shown = page.slice(0, asked.limit);
  const last = shown.at(-1);
  const { from, to } = question.span;
  return {
    data: shown.map(({ make }) => make()),
    next_cursor:
      page.length > asked.limit && last
        ? writeCursor(asked, { range: { from, to }, after: last.at })
        : null,
    meta,
  };
}

/** All rows of what is asked, one by one. @throws 422 */
export async function exportAnalytics(
  { env, workspaceId }: Context,
  asked: AskedQuestion,
  ledger: AskedLedger = ledgerOf(env, workspaceId),
): Promise<Answered & { question: Question }> {
  const question = readQuestion(asked, now());
  return { question, ...(await answer(ledger, question)) };
}

async function answer(ledger: AskedLedger, question: Question): Promise<Answered> {
  const { span, previous, timeZone } = question;
  const [current, before] = await Promise.all([
    count(ledger, question, span),
    previous && count(ledger, question, previous),
  ]);
  if (countRows(question, current) > MAX_ROWS) {
    const message = `Would make more than ${MAX_ROWS} rows: ask for fewer groups, a longer interval, or less time.`;
    throw invalid("group_by", message);
  }
  const tell = ({ from, to }: Span, { unattributed }: Unattributed) => ({
    from: toZonedTimestamp(from, timeZone),
    to: toZonedTimestamp(to, timeZone),
    unattributed,
  });
  const meta: AnalyticsMeta = {
    time_zone: timeZone,
    ...tell(span, current),
    fresh_until: toTimestamp(current.freshUntil),
    ...(previous && before && { previous: tell(previous, before) }),
  };
  return { rows: answerRows(question, current, before), meta };
}

async function count(
  ledger: AskedLedger,
  { metrics, groupBy, traffic, filters }: Question,
  { edges }: Span,
): Promise<Counted & Unattributed & { freshUntil: number }> {
  const counts = ledgerMetrics(metrics);
  const asked = { groupBy, buckets: edges, traffic, filters };
  const [counted, clicks] = await Promise.all([
    askLedger(ledger, { ...asked, metrics: counts }),
    metrics.includes("ctr") &&
      askLedger(ledger, { ...asked, metrics: ["clicks"], groupBy: [...groupBy, "block"] }),
  ]).catch((fault: unknown) => {
    if (!(fault instanceof Error) || !fault.message.includes(QUESTION_TOO_WIDE)) throw fault;
    const message = "Too much would have to be looked at: ask for fewer groups, or for less time.";
    throw invalid(groupBy.length > 0 ? "group_by" : "period", message);
  });
  const unattributed = {
    ...(clicks && { clicks: clicks.unattributed?.[0] ?? 0 }),
    ...Object.fromEntries(counts.map((name, at) => [name, counted.unattributed?.[at] ?? 0])),
  };
  return { ...counted, unattributed, blockClicks: clicks ? clicks.rows : undefined };
}

function askLedger(ledger: AskedLedger, question: LedgerQuestion): Promise<LedgerAnswer> {
  return asksApart(question) ? ofNewer(ledger.answerNewer(question)) : ledger.answer(question);
}
