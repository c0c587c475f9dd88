import { invalid } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import type { FilterValues } from "./filter-values.ts";
import { ledgerOf, ofNewer } from "./ledger-client.ts";
import {
  COUNTS,
  type Count,
  type Ledger,
  type LedgerQuestion,
  type RecentOf,
  SUBJECTS,
  type SubjectKind,
  TOLD_APART,
} from "./ledger-shapes.ts";

const MINUTE_MILLISECONDS = 60_000;
const MINUTES = 30;

type Counts = Record<Count, number>;

/** What came in during each of the last 30 minutes, the present one last. @throws 422 */
export async function tellRealtime(
  { env, workspaceId }: Context,
  asked: { traffic: LedgerQuestion["traffic"] } & {
    [Kind in SubjectKind]?: FilterValues | undefined;
  },
  ledger: Pick<Ledger, "recent" | "recentNewer"> = ledgerOf(env, workspaceId),
) {
  const present = Math.floor(now() / MINUTE_MILLISECONDS);
  const since = present - MINUTES + 1;
  const of = subjectOf(asked);
  const { minutes: recent, freshUntil } = await (of?.subject === TOLD_APART
    ? ofNewer(ledger.recentNewer(since, of))
    : ledger.recent(since, of));
  const minutes = Array.from({ length: MINUTES }, (_, n) => ({
    start: toTimestamp((since + n) * MINUTE_MILLISECONDS),
    ...noCounts(),
  }));
  for (const { minute, count, traffic, hits } of recent) {
    const told = minutes[minute - since];
    if (told && (asked.traffic === "all" || asked.traffic === traffic)) told[count] += hits;
  }
  return {
    data: {
      last_5_minutes: sumOf(minutes.slice(-5)),
      last_30_minutes: sumOf(minutes),
      minutes,
    },
    meta: { fresh_until: toTimestamp(freshUntil) },
  };
}

/** The one kind of subject that it is to be of, and which. */
function subjectOf(
  asked: { [Kind in SubjectKind]?: FilterValues | undefined },
): RecentOf | undefined {
  const [first, second] = SUBJECTS.filter((subject) => asked[subject]);
  if (second) throw invalid(second, `Send it or ${first}: no hit is of two.`);
  const filter = first && asked[first];
  if (!first || !filter) return undefined;
  if (filter.isExcluded || filter.values.includes("")) {
    throw invalid(first, "Must be ids of those that are to be counted.");
  }
  return { subject: first, ids: filter.values };
}

function noCounts(): Counts {
  return Object.fromEntries(COUNTS.map((count) => [count, 0])) as Counts;
}

function sumOf(minutes: Counts[]): Counts {
  const sum = noCounts();
  for (const minute of minutes) for (const count of COUNTS) sum[count] += minute[count];
  return sum;
}
