import type { PlatformContext } from "../../platform/context/context.ts";
import { deadLetterCount } from "../../platform/dead-letters/dead-letters.repository.ts";
import { now } from "../../platform/time.ts";
import type { CountUpTo } from "./overview.ports.ts";
import { findOverview } from "./overview.repository.ts";
import { MOST_COUNTED, type Overview } from "./overview.schemas.ts";
import { monthOf, nameOfMonth } from "./usage-months.ts";

const LARGEST = 10;

/** What all workspaces store together, what they caused this month and the last, and what waits. */
export async function getOverview(
  { db }: PlatformContext,
  openReports: CountUpTo,
): Promise<Overview> {
  const month = monthOf(now());
  const counting = [deadLetterCount(db, MOST_COUNTED), openReports(db, MOST_COUNTED)];
  const { totals, largest, databaseBytes, counted } = await findOverview(
    db,
    month,
    LARGEST,
    counting,
  );
  const { all, suspended, deliveries, messages, deliveries_before, messages_before, ...sums } =
    totals;
  const [dead_letters = 0, open_reports = 0] = counted;
  return {
    workspaces: { all, suspended },
    ...sums,
    this_month: { month: nameOfMonth(month), deliveries, messages },
    last_month: {
      month: nameOfMonth(month - 1),
      deliveries: deliveries_before,
      messages: messages_before,
    },
    database_bytes: databaseBytes,
    dead_letters,
    open_reports,
    largest,
  };
}
