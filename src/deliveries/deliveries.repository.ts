import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { PageRequest } from "../api/pagination.ts";
import type { Database } from "../platform/db/client.ts";
import { type Part, walk } from "../platform/db/walk.ts";
import { deliveries, deliveryAttempts } from "./deliveries.table.ts";

export type DeliveryRow = typeof deliveries.$inferSelect;
export type AttemptRow = typeof deliveryAttempts.$inferSelect;

/** A delivery's status as it is told: what is parked is pending still. */
export type DeliveryStatus = Exclude<DeliveryRow["status"], "parked">;

const STORED_AS: Record<DeliveryStatus, DeliveryRow["status"][]> = {
  pending: ["pending", "parked"],
  delivered: ["delivered"],
  failed: ["failed"],
};

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  test?: boolean | undefined;
  /** Events whose deliveries are left out. */
  without: string[];
}

/** Newest first. Where few deliveries have what is asked, the page may end early. */
export async function listDeliveries(
  db: Database,
  workspaceId: string,
  targetId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Part<DeliveryRow>> {
  const { status, event, test, without } = filter;
  const ofTarget = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.targetId, targetId));
  // Of what failed there is an index: those who look for it have many that did not, mostly.
  const source =
    status === "failed"
      ? { index: "deliveries_failed", is: and(ofTarget, sql`${deliveries.status} = 'failed'`) }
      : { index: "deliveries_target", is: ofTarget };
  const asked = and(
    status && status !== "failed" ? inArray(deliveries.status, STORED_AS[status]) : undefined,
    event ? eq(deliveries.event, event) : undefined,
    without.length > 0
      ? sql`${deliveries.event} NOT IN (SELECT value FROM json_each(${JSON.stringify(without)}))`
      : undefined,
    test === undefined ? undefined : eq(deliveries.test, test),
  );
  return walk(db, deliveries, { ...source, filter: asked }, page);
}

export async function findDelivery(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.id, id)))
    .get();
}

export async function listAttempts(db: Database, deliveryId: string): Promise<AttemptRow[]> {
  return db
    .select()
    .from(deliveryAttempts)
    .where(eq(deliveryAttempts.deliveryId, deliveryId))
    .orderBy(asc(deliveryAttempts.number));
}

/** The statement, for a batch with the event of a test, or alone for a resend. */
export function deliveryInsert(db: Database, delivery: DeliveryRow) {
  return db.insert(deliveries).values(delivery);
}
