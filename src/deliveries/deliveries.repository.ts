import { and, eq, gte, inArray, sql } from "drizzle-orm";
import type { PageRequest } from "../api/pagination.ts";
import { listedDeliveries } from "../events/events.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { type Part, walk } from "../platform/db/walk.ts";
import { leastIdAt } from "../platform/ids.ts";
import { deliveries } from "./deliveries.table.ts";

type StoredRow = typeof deliveries.$inferSelect;
/** As it is read: what is deferred, or parked, waits without a next attempt. */
export type DeliveryDetailRow = Omit<StoredRow, "status"> & {
  status: Exclude<StoredRow["status"], "deferred">;
};
/** Without its attempts, which may take much. */
export type DeliveryRow = Omit<DeliveryDetailRow, "attempts">;

/** A delivery's status as it is told: what is parked is pending still. */
export type DeliveryStatus = Exclude<DeliveryRow["status"], "parked">;

const STORED_AS: Record<DeliveryStatus, StoredRow["status"][]> = {
  pending: ["pending", "parked", "deferred"],
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
    eq(deliveries.workspaceId, workspaceId),
    status ? inArray(deliveries.status, STORED_AS[status]) : undefined,
    event ? eq(deliveries.event, event) : undefined,
    without.length > 0
      ? sql`${deliveries.event} NOT IN (SELECT value FROM json_each(${JSON.stringify(without)}))`
      : undefined,
    test === undefined ? undefined : eq(deliveries.test, test),
  );
  const is = and(
    eq(deliveries.targetId, targetId),
    since === undefined ? undefined : gte(deliveries.id, leastIdAt(since)),
    eventId === undefined ? undefined : sql`${deliveries.id} IN ${ofEvent(targetId, eventId)}`,
    // Those who look for what failed have many that did not, mostly.
    status === "failed" ? sql`${deliveries.status} = 'failed'` : undefined,
  );
  const index =
    status === "failed" ? "target_deliveries_failed" : "sqlite_autoindex_target_deliveries_1";
  const found = { index, is, filter: asked, unread: ["attempts"] };
  const part = await walk<Omit<StoredRow, "attempts">>(db, deliveries, found, {
    ...page,
    beforeId,
  });
  return { ...part, rows: part.rows.map(asRead) };
}

function asRead<Row extends Pick<StoredRow, "status">>(row: Row) {
  return { ...row, status: row.status === "deferred" ? ("parked" as const) : row.status };
}

/** So many resends of an event to one target are shown: the newest. */
const RESENDS_SHOWN = 2000;

/** SQL of the ids of an event's deliveries to a target. */
function ofEvent(targetId: string, eventId: string) {
  const listed = sql.raw(listedDeliveries("SELECT id FROM asked"));
  return sql`(WITH asked (id) AS (SELECT ${eventId})
    SELECT id FROM (${listed}) WHERE target_id = ${targetId}
    UNION ALL SELECT id FROM (SELECT unlisted.id
      FROM target_deliveries AS unlisted INDEXED BY target_deliveries_unlisted
      WHERE unlisted.listed = 0 AND unlisted.event_id = ${eventId}
        AND unlisted.target_id = ${targetId} ORDER BY unlisted.id DESC LIMIT ${RESENDS_SHOWN}))`;
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/** A delivery to one of some targets. */
export async function findDelivery(
  db: Database,
  workspaceId: string,
  targetIds: string[],
  id: string,
): Promise<DeliveryDetailRow | undefined> {
  const row = await db
    .select()
    .from(deliveries)
    .where(
      and(
        sql`${deliveries.targetId} IN (SELECT value FROM json_each(${JSON.stringify(targetIds)}))`,
        eq(deliveries.id, id),
        eq(deliveries.workspaceId, workspaceId),
      ),
    )
    .get();
  return row && (asRead(row) as DeliveryDetailRow);
}

/** A delivery that no event lists: a test, a resend. */
export type UnlistedDelivery = Omit<DeliveryRow, "listed">;

/** The statement, for a batch with the event of a test, or alone for a resend. */
export function deliveryInsert(db: Database, delivery: UnlistedDelivery) {
  return db.insert(deliveries).values({ ...delivery, listed: false, attempts: {} });
}
