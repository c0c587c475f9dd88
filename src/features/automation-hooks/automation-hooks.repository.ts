import { and, eq } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { automationHooks } from "./automation-hooks.table.ts";

export type HookRow = typeof automationHooks.$inferSelect;

/**
 * Adds a hook unless the workspace has it, or has `limit` already, in one statement, so that both
 * hold however many are added at once. Whether it was added.
 */
export async function insertHook(db: Database, hook: HookRow, limit: number): Promise<boolean> {
  const added = await db.$client
    .prepare(
      `INSERT INTO automation_hooks (id, workspace_id, event, target_url, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5
       WHERE (SELECT count(*) FROM automation_hooks WHERE workspace_id = ?2) < ?6
       ON CONFLICT DO NOTHING`,
    )
    .bind(hook.id, hook.workspaceId, hook.event, hook.targetUrl, hook.createdAt, limit)
    .run();
  return added.meta.changes > 0;
}

export async function findHookOf(
  db: Database,
  { workspaceId, event, targetUrl }: Omit<HookRow, "id" | "createdAt">,
): Promise<HookRow | undefined> {
  return db
    .select()
    .from(automationHooks)
    .where(
      and(
        eq(automationHooks.workspaceId, workspaceId),
        eq(automationHooks.event, event),
        eq(automationHooks.targetUrl, targetUrl),
      ),
    )
    .get();
}

/** The hooks of a workspace that want an event. */
export async function findSubscribedHooks(
  db: Database,
  workspaceId: string,
  event: string,
): Promise<string[]> {
  const rows = await db
    .select({ id: automationHooks.id })
    .from(automationHooks)
    .where(and(eq(automationHooks.workspaceId, workspaceId), eq(automationHooks.event, event)));
  return rows.map((row) => row.id);
}

export async function deleteHook(db: Database, workspaceId: string, id: string): Promise<void> {
  await db
    .delete(automationHooks)
    .where(and(eq(automationHooks.workspaceId, workspaceId), eq(automationHooks.id, id)));
}
