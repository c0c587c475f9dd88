import { and, asc, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../api/pagination.ts";
import type { Database } from "../platform/db/client.ts";
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

/** Newest first; one row more than the page holds. */
export async function listDeliveries(
  db: Database,
  workspaceId: string,
  targetId: string,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<DeliveryRow[]> {
  return db
    .select()
    .from(deliveries)
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        eq(deliveries.targetId, targetId),
        page.beforeId ? lt(deliveries.id, page.beforeId) : undefined,
        filter.status && inArray(deliveries.status, STORED_AS[filter.status]),
        filter.event ? eq(deliveries.event, filter.event) : undefined,
        filter.without.length > 0
          ? sql`${deliveries.event} NOT IN (SELECT value FROM json_each(${JSON.stringify(filter.without)}))`
          : undefined,
        filter.test === undefined ? undefined : eq(deliveries.test, filter.test),
      ),
    )
    .orderBy(desc(deliveries.id))
    .limit(page.limit + 1);
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
