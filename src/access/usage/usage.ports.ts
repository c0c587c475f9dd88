/** What other statements need of a workspace's usage, and of the limits of its plan. */
import type { Database } from "../../platform/db/client.ts";
import { joinWorkspace } from "../workspaces/workspaces.ports.ts";

/** A workspace's usage beside what its plan allows. */
const USED = `FROM workspace_usage AS used CROSS ${joinWorkspace("used.id")}
  CROSS JOIN plan_limits AS plan ON plan.plan = workspaces.plan`;

/** SQL: whether a workspace, by the SQL of its id, has room. Tables whose triggers ask need it not. */
export function hasRoom(workspaceId: string): string {
  return `NOT EXISTS (SELECT 1 ${USED}
    WHERE used.id = ${workspaceId} AND used.stored_bytes > plan.stored_bytes)`;
}

/** What a batch tells of the rows that it writes: each SQL of a number, of the parameter ?1. */
export interface BatchCount {
  /** The bytes of the rows as they stand. If the batch makes them more, it needs room. */
  bytes: string;
  /** New contacts among them. */
  contacts: string;
  /** Bytes of the events it wrote: these need no room. */
  events: string;
}

/**
 * Statements for before and after those of a batch that writes many rows of a workspace: they
 * count all of them at once, where the triggers would write once for each.
 */
export function countingBatch(
  db: Database,
  workspaceId: string,
  json: string,
  { bytes, contacts, events }: BatchCount,
): { before: D1PreparedStatement; after: D1PreparedStatement[] } {
  const set = (changes: string) =>
    db.$client
      .prepare(`UPDATE workspace_usage SET ${changes} WHERE id = ?2`)
      .bind(json, workspaceId);
  return {
    before: set(`batch_bytes = -${bytes}`),
    after: [
      // A trigger aborts the batch here if the workspace has no room.
      set(`batch_bytes = batch_bytes + ${bytes}`),
      set(`stored_bytes = stored_bytes + batch_bytes + ${events},
        contacts = contacts + ${contacts}, batch_bytes = NULL, recount_spoilt = 1`),
    ],
  };
}

const HOUR_MILLISECONDS = 3_600_000;

/** As {@link isPaced} takes it. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MILLISECONDS);
}

/** SQL of how many deliveries a workspace may be given in an hour, by the SQL of it. */
function allowance(hour: string): string {
  return `min(plan.pending_deliveries - used.pending_deliveries, plan.deliveries_an_hour
    - CASE WHEN used.hour < ${hour} THEN 0 ELSE used.deliveries_in_hour END)`;
}

/** SQL: whether a workspace has had its deliveries for now, by the SQL of its id and of the hour. */
export function isPaced(workspaceId: string, hour: string): string {
  return `EXISTS (SELECT 1 ${USED}
    WHERE used.id = ${workspaceId} AND ${allowance(hour)} <= 0)`;
}

/** How many deliveries a workspace may be given now. One that is not counted yet: any number. */
export async function findDeliveryAllowance(
  db: Database,
  workspaceId: string,
  time: number,
): Promise<number> {
  const row = await db.$client
    .prepare(`SELECT ${allowance("?2")} AS allowed ${USED} WHERE used.id = ?1`)
    .bind(workspaceId, hourOf(time))
    .first<{ allowed: number }>();
  return row?.allowed ?? Number.MAX_SAFE_INTEGER;
}
