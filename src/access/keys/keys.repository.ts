import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../../api/pagination.ts";
import type { Database } from "../../platform/db/client.ts";
import { apiKeys } from "./keys.table.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

export async function insertApiKey(db: Database, key: ApiKeyRow): Promise<void> {
  await db.insert(apiKeys).values(key);
}

export async function findApiKey(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, id)))
    .get();
}

export async function listApiKeys(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<ApiKeyRow[]> {
  return db
    .select()
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.workspaceId, workspaceId),
        page.beforeId ? lt(apiKeys.id, page.beforeId) : undefined,
      ),
    )
    .orderBy(desc(apiKeys.id))
    .limit(page.limit + 1);
}

/** Revokes a key; one revoked before keeps its time. Whether there is such a key. */
export async function revokeApiKey(
  db: Database,
  workspaceId: string,
  id: string,
  time: number,
): Promise<boolean> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${time})` })
    .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, id)))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}
