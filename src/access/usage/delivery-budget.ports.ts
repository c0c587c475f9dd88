/** How many deliveries a workspace may be given, and how many may be pending. */
import type { Database } from "../../platform/db/client.ts";
import { IS_OVERFULL, USED } from "./usage.ports.ts";

const HOUR_MILLISECONDS = 3_600_000;

/** As {@link isPaced} takes it. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MILLISECONDS);
}

/**
 * SQL of how many deliveries a workspace may be given in an hour, by the SQL of it. How many are
 * pending is no matter: what is too much for one target is deferred, so that others go on.
 */
function allowance(hour: string): string {
  return `min(plan.deliveries_an_hour
    - CASE WHEN used.hour < ${hour} THEN 0 ELSE used.deliveries_in_hour END,
    CASE WHEN ${IS_OVERFULL} THEN 0 ELSE plan.deliveries_an_hour END)`;
}

/** SQL, where {@link USED} is, of how many may be pending before each target has only its share. */
const PENDING_FREE = "plan.pending_deliveries / 2 - used.pending_deliveries";

/** A target's share at most, and at least: the latter however many other targets' are pending. */
export const PENDING_SHARE = { most: 1000, least: 100 };

/**
 * SQL of one row: how many of a workspace's deliveries may be pending yet before each of its targets
 * has only its share, `free`, and that `share`: half of what is left, so that no number of slow
 * targets takes all. Of a workspace that is not counted yet: any number.
 */
export function pendingBudget(workspaceId: string): string {
  return `SELECT coalesce(max(free), 1e9) AS free, coalesce(max(share), ${PENDING_SHARE.most}) AS share
    FROM (SELECT ${PENDING_FREE} AS free, max(
        min((plan.pending_deliveries - used.pending_deliveries) / 2, ${PENDING_SHARE.most}),
        min(plan.pending_deliveries / 4, ${PENDING_SHARE.least}), 1) AS share
      ${USED} WHERE used.id = ${workspaceId})`;
}

/** SQL: whether a workspace has had its deliveries for now, by the SQL of its id and of the hour. */
export function isPaced(workspaceId: string, hour: string): string {
  return `EXISTS (SELECT 1 ${USED}
    WHERE used.id = ${workspaceId} AND ${allowance(hour)} <= 0)`;
}

/** How many deliveries a workspace may be given now. */
export interface DeliveryAllowance {
  allowed: number;
  /** How many of them may be pending before each target has only its share; a hint. */
  free: number;
}

/** The statement that asks how many deliveries a workspace may be given now, for a batch. */
export function deliveryAllowance(
  db: Database,
  workspaceId: string,
  time: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `SELECT ${allowance("?2")} AS allowed, ${PENDING_FREE} AS free ${USED} WHERE used.id = ?1`,
    )
    .bind(workspaceId, hourOf(time));
}

/** What {@link deliveryAllowance} was answered. One that is not counted yet: any number. */
export function readAllowance(rows: unknown[]): DeliveryAllowance {
  const [row] = rows as DeliveryAllowance[];
  return row ?? { allowed: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER };
}

export async function findDeliveryAllowance(
  db: Database,
  workspaceId: string,
  time: number,
): Promise<DeliveryAllowance> {
  return readAllowance((await deliveryAllowance(db, workspaceId, time).all()).results);
}
