/** How a batch that writes many rows counts them at once, as triggers would one by one. */
import type { Database } from "../../platform/db/client.ts";
import { hourOf } from "./delivery-budget.ports.ts";

/** Rows of a table that a batch writes, which it gets as ?1. */
interface Counted {
  /** The table's place in the order of the recount. */
  stage: number;
  /** SQL of what one takes. */
  bytes: string;
  id: string;
  /** SQL of whether one waits, where that is asked. */
  isWaiting?: string;
  /** What follows FROM. */
  source: string;
}

export interface BatchCount {
  /** Rows that are written or replaced. If they take more than before, the batch needs room. */
  records: Counted;
  /** Contacts that are new: each counts as one. */
  contacts: Counted;
  /** Rows that are new, and need no room. */
  events: Counted;
}

/**
 * SQL of what a batch's rows take, `bytes`, and `seen`: those that the recount, in the workspace ?2,
 * has behind it; `n`, how many they are; `waiting`, how many are pending deliveries. The triggers say
 * the same of one row.
 */
function takenBy({ stage, bytes, id, isWaiting = "0", source }: Counted): string {
  const isSeen = `CASE WHEN stage = 8 THEN ?2 > position
    ELSE stage > ${stage} OR (stage = ${stage} AND ${id} <= position) END`;
  return `(SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(bytes * isSeen), 0) AS seen,
      count(*) AS n, coalesce(sum(isWaiting), 0) AS waiting FROM (
    SELECT ${bytes} AS bytes, ${isSeen} AS isSeen, ${isWaiting} AS isWaiting
    FROM (SELECT stage, position FROM usage_recount WHERE id = 1) CROSS JOIN ${source}))`;
}

/**
 * Statements for before and after those of a batch that writes many rows of a workspace: they
 * count all of them at once, where the triggers would write once for each.
 */
export function countingBatch(
  db: Database,
  workspaceId: string,
  json: string,
  { records, contacts, events }: BatchCount,
): { before: D1PreparedStatement; after: D1PreparedStatement[] } {
  const set = (changes: string, of: Counted, more = "") =>
    db.$client
      .prepare(
        `UPDATE workspace_usage SET ${changes} FROM ${takenBy(of)} AS taken ${more} WHERE id = ?2`,
      )
      .bind(json, workspaceId);
  return {
    before: set(
      "batch_bytes = -taken.bytes, recounted_bytes = recounted_bytes - taken.seen",
      records,
    ),
    after: [
      // A trigger aborts the batch here if the workspace has no room.
      set(
        `batch_bytes = batch_bytes + taken.bytes, recounted_bytes = recounted_bytes + taken.seen`,
        records,
      ),
      set(
        `stored_bytes = max(stored_bytes + batch_bytes + taken.bytes, 0), batch_bytes = NULL,
         recounted_bytes = recounted_bytes + taken.seen,
         contacts = contacts + made.bytes, recounted_contacts = recounted_contacts + made.seen`,
        events,
        `CROSS JOIN ${takenBy(contacts)} AS made`,
      ),
    ],
  };
}

/** As the recount orders deliveries, and the triggers number their table. */
const DELIVERIES = {
  stage: 7,
  bytes: "deliveries.bytes",
  id: "deliveries.target_id || deliveries.id",
  isWaiting: "deliveries.status = 'pending'",
};

interface Around {
  before: D1PreparedStatement;
  after: D1PreparedStatement;
}

const COUNT_NO_ROW = "UPDATE workspace_usage SET batch_bytes = 0 WHERE id = ?2 AND ?1 IS NOT NULL";

/**
 * Statements for before and after one that writes many new events of a workspace: they count all at
 * once, as the triggers count no row while `batch_bytes` stands. `source` is SQL of those that were
 * written, `events`, of ?1.
 */
export function countingNewEvents(
  db: Database,
  workspaceId: string,
  json: string,
  source: string,
): Around {
  const taken = takenBy({ stage: 4, bytes: "events.bytes", id: "events.id", source });
  const write = (sql: string) => db.$client.prepare(sql).bind(json, workspaceId);
  return {
    before: write(COUNT_NO_ROW),
    after: write(`UPDATE workspace_usage SET batch_bytes = NULL,
        stored_bytes = stored_bytes + taken.bytes, recounted_bytes = recounted_bytes + taken.seen
      FROM ${taken} AS taken WHERE id = ?2`),
  };
}

/**
 * Statements for before and after those that make deliveries of a workspace: they count all at
 * once. `made` is SQL that joins those that were made to a json_each of ?1, `deliveries`.
 */
export function countingNewDeliveries(
  db: Database,
  workspaceId: string,
  json: string,
  { made, time }: { made: string; time: number },
): Around {
  const before = db.$client.prepare(COUNT_NO_ROW).bind(json, workspaceId);
  const after = db.$client
    .prepare(
      `UPDATE workspace_usage SET batch_bytes = NULL, stored_bytes = stored_bytes + taken.bytes,
         recounted_bytes = recounted_bytes + taken.seen,
         deliveries = deliveries + taken.n,
         pending_deliveries = pending_deliveries + taken.waiting,
         deliveries_in_hour = taken.n + iif(hour < ?3, 0, deliveries_in_hour),
         hour = max(hour, ?3)
       FROM ${takenBy({ ...DELIVERIES, source: made })} AS taken WHERE id = ?2`,
    )
    .bind(json, workspaceId, hourOf(time));
  return { before, after };
}

/**
 * Statements for before and after one that moves many deliveries of a workspace on: they count at
 * once what these take, and how many wait. `source` is SQL of those deliveries, `deliveries`.
 */
export function countingMovedDeliveries(
  write: (sql: string) => D1PreparedStatement,
  source: string,
): Around {
  const taken = takenBy({ ...DELIVERIES, source });
  const count = (change: string) =>
    write(`UPDATE workspace_usage SET ${change} FROM ${taken} AS taken WHERE id = ?2`);
  return {
    before: count(`batch_bytes = -taken.bytes, recounted_bytes = recounted_bytes - taken.seen,
      pending_deliveries = pending_deliveries - taken.waiting`),
    after: count(`stored_bytes = max(stored_bytes + batch_bytes + taken.bytes, 0),
      batch_bytes = NULL, recounted_bytes = recounted_bytes + taken.seen,
      pending_deliveries = max(pending_deliveries + taken.waiting, 0)`),
  };
}
