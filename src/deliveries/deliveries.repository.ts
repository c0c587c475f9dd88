import { and, asc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../api/pagination.ts";
import type { Database } from "../platform/db/client.ts";
import { type Part, walk } from "../platform/db/walk.ts";
import { leastIdAt } from "../platform/ids.ts";
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
  eventId?: string | undefined;
  /** In milliseconds, this one included. */
  since?: number | undefined;
  /** In milliseconds, this one not. */
  until?: number | undefined;
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
  const { status, event, test, eventId, since, until, without } = filter;
  const beforeId = earlier(page.beforeId, until === undefined ? undefined : leastIdAt(until));
  const asked = and(
    status ? inArray(deliveries.status, STORED_AS[status]) : undefined,
    event ? eq(deliveries.event, event) : undefined,
    without.length > 0
      ? sql`${deliveries.event} NOT IN (SELECT value FROM json_each(${JSON.stringify(without)}))`
      : undefined,
    test === undefined ? undefined : eq(deliveries.test, test),
  );
  const ofTarget = and(
    eq(deliveries.workspaceId, workspaceId),
    eq(deliveries.targetId, targetId),
    since === undefined ? undefined : gte(deliveries.id, leastIdAt(since)),
  );
  const source = sourceOf({ status, eventId }, beforeId);
  const found = { ...source, is: and(source.is, ofTarget), filter: asked };
  return walk(db, deliveries, found, { ...page, beforeId });
}

/** The index that serves a filter best; an event's deliveries to one target are the fewest. */
function sourceOf(
  { status, eventId }: Pick<DeliveryFilter, "status" | "eventId">,
  beforeId: string | undefined,
) {
  if (eventId !== undefined) {
    return {
      index: "deliveries_event_target",
      is: and(eq(deliveries.eventId, eventId), beforeId ? lt(deliveries.id, beforeId) : undefined),
      // The first delivery stands before its resends, as its id does.
      order: sql`CASE WHEN ${deliveries.resendOf} IS NULL THEN '' ELSE ${deliveries.id} END`,
    };
  }
  // Those who look for what failed have many that did not, mostly.
  if (status === "failed")
    return { index: "deliveries_failed", is: sql`${deliveries.status} = 'failed'` };
  return { index: "deliveries_target", is: undefined };
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
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
