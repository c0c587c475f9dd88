import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { webhookEndpoints } from "./endpoints.table.ts";

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(webhookEndpoints.workspaceId, workspaceId), eq(webhookEndpoints.id, id));
}

/**
 * Adds an endpoint unless the workspace has `limit` already, in one statement, so that the limit
 * holds however many are added at once. Whether it was added. @throws a unique conflict
 */
export async function insertEndpoint(
  db: Database,
  row: EndpointRow,
  limit: number,
): Promise<boolean> {
  const added = await db.$client
    .prepare(
      `INSERT INTO webhook_endpoints (id, workspace_id, name, url, enabled, subscriptions, secret,
         revision, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?8
       WHERE (SELECT count(*) FROM webhook_endpoints WHERE workspace_id = ?2) < ?9`,
    )
    .bind(
      row.id,
      row.workspaceId,
      row.name,
      row.url,
      JSON.stringify(row.subscriptions),
      row.secret,
      row.revision,
      row.createdAt,
      limit,
    )
    .run();
  return added.meta.changes > 0;
}

export async function findEndpoint(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  return db.select().from(webhookEndpoints).where(ofWorkspace(workspaceId, id)).get();
}

export async function findEndpointIds(db: Database, workspaceId: string): Promise<string[]> {
  const rows = await db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.workspaceId, workspaceId));
  return rows.map(({ id }) => id);
}

/** All of a workspace's endpoints, newest first: at most 25. */
export async function listEndpoints(db: Database, workspaceId: string): Promise<EndpointRow[]> {
  return db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.workspaceId, workspaceId))
    .orderBy(desc(webhookEndpoints.id));
}

/** Changes an endpoint if it still has this revision; the row as it is then, or undefined. */
export async function updateEndpoint(
  db: Database,
  endpoint: Pick<EndpointRow, "workspaceId" | "id" | "revision">,
  changes: Partial<EndpointRow>,
): Promise<EndpointRow | undefined> {
  return db
    .update(webhookEndpoints)
    .set(changes)
    .where(
      and(
        ofWorkspace(endpoint.workspaceId, endpoint.id),
        eq(webhookEndpoints.revision, endpoint.revision),
      ),
    )
    .returning()
    .get();
}

export async function deleteEndpoint(
  db: Database,
  endpoint: Pick<EndpointRow, "workspaceId" | "id" | "revision">,
): Promise<boolean> {
  const deleted = await db
    .delete(webhookEndpoints)
    .where(
      and(
        ofWorkspace(endpoint.workspaceId, endpoint.id),
        eq(webhookEndpoints.revision, endpoint.revision),
      ),
    )
    .returning({ id: webhookEndpoints.id });
  return deleted.length > 0;
}

/** The enabled endpoints of a workspace that are subscribed to an event on a channel. */
export async function findSubscribedEndpoints(
  db: Database,
  workspaceId: string,
  event: string,
  channel: string,
): Promise<string[]> {
  const rows = await db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(
      and(
        eq(webhookEndpoints.workspaceId, workspaceId),
        eq(webhookEndpoints.enabled, true),
        sql`EXISTS (SELECT 1 FROM json_each(
            CASE WHEN json_valid(${webhookEndpoints.subscriptions})
              THEN ${webhookEndpoints.subscriptions} ELSE '[]' END) AS chosen
          WHERE chosen.value ->> 'event' = ${event} AND chosen.value ->> 'channel' = ${channel})`,
      ),
    );
  return rows.map((row) => row.id);
}
