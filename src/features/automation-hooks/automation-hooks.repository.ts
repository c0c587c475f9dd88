import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { keyIsValid, keyMay } from "../../access/keys/keys.ports.ts";
import type { Permission } from "../../access/workspaces/permissions.ts";
import type { PageRequest } from "../../api/pagination.ts";
import { hasNotEnded } from "../../deliveries/deliveries.ports.ts";
import { findStopping } from "../../deliveries/ended-attempts.ts";
import { noteConduct } from "../../deliveries/target-conduct.ports.ts";
import type { EndedAttempt } from "../../deliveries/targets.ts";
import { productOf } from "../../events/events.ports.ts";
import type { Database } from "../../platform/db/client.ts";
import { automationHooks } from "./automation-hooks.table.ts";

export type HookRow = typeof automationHooks.$inferSelect;

const HOOKS_PERMISSION: Permission = "salesbot:automation:hooks";

function keyOf(hook: string, time: string) {
  return { id: `${hook}.key_id`, workspaceId: `${hook}.workspace_id`, time };
}

/**
 * SQL of whether a hook, by its SQL name, gets anything: its key may still have hooks, and of its
 * event's product. A hook of before keys were noted is the workspace's.
 */
export function hookIsLive(hook: string, time: string): string {
  const permissions = [
    `'${HOOKS_PERMISSION}'`,
    `${productOf(`${hook}.event`)} || ':webhooks:subscribe'`,
  ];
  return `(${hook}.key_id IS NULL OR ${keyMay(keyOf(hook, time), permissions)})`;
}

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(automationHooks.workspaceId, workspaceId), eq(automationHooks.id, id));
}

/** A key's own, and those that are the workspace's. */
function ofKey(keyId: string) {
  return or(eq(automationHooks.keyId, keyId), isNull(automationHooks.keyId));
}

/**
 * Adds a hook unless the workspace has it, or has `limit` already, in one statement, so that both
 * hold however many are added at once. Whether it was added.
 */
export async function insertHook(db: Database, hook: HookRow, limit: number): Promise<boolean> {
  const added = await db.$client
    .prepare(
      `INSERT INTO automation_hooks (id, workspace_id, key_id, event, target_url, created_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6
       WHERE (SELECT count(*) FROM automation_hooks WHERE workspace_id = ?2) < ?7
       ON CONFLICT DO NOTHING`,
    )
    .bind(hook.id, hook.workspaceId, hook.keyId, hook.event, hook.targetUrl, hook.createdAt, limit)
    .run();
  return added.meta.changes > 0;
}

/** Deletes the hooks of keys that are over for good; their ids. */
export async function deleteEndedHooks(
  db: Database,
  workspaceId: string,
  now: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `DELETE FROM automation_hooks WHERE workspace_id = ?1 AND key_id IS NOT NULL
         AND NOT ${keyIsValid(keyOf("automation_hooks", "?2"))} RETURNING id`,
    )
    .bind(workspaceId, now)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Gives a hook to a key, to be tried for five days anew; undefined when it is gone. */
export async function giveHook(
  db: Database,
  { workspaceId, id }: HookRow,
  keyId: string | null,
): Promise<HookRow | undefined> {
  return db
    .update(automationHooks)
    .set({ keyId, failingSince: null })
    .where(ofWorkspace(workspaceId, id))
    .returning()
    .get();
}

export async function findHookOf(
  db: Database,
  { workspaceId, event, targetUrl }: HookRow,
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

/** A page of a key's hooks, newest first; without those of some events. One row more than it holds. */
export async function listHooksOf(
  db: Database,
  workspaceId: string,
  { keyId, without }: { keyId: string; without: string[] },
  page: PageRequest,
): Promise<HookRow[]> {
  return db
    .select()
    .from(automationHooks)
    .where(
      and(
        eq(automationHooks.workspaceId, workspaceId),
        ofKey(keyId),
        sql`${automationHooks.event} NOT IN (SELECT value FROM json_each(${JSON.stringify(without)}))`,
        page.beforeId ? lt(automationHooks.id, page.beforeId) : undefined,
      ),
    )
    .orderBy(desc(automationHooks.id))
    .limit(page.limit + 1);
}

export type JudgedHook = HookRow & { live: number };

/** A page of all of a workspace's hooks, newest first, with whether each gets anything. */
export async function listHooks(
  db: Database,
  workspaceId: string,
  page: PageRequest,
  now: number,
): Promise<JudgedHook[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, workspace_id AS workspaceId, key_id AS keyId, event, target_url AS targetUrl,
         failing_since AS failingSince, created_at AS createdAt, ${hookIsLive("hook", "?4")} AS live
       FROM automation_hooks AS hook WHERE workspace_id = ?1 AND (?2 IS NULL OR id < ?2)
       ORDER BY id DESC LIMIT ?3`,
    )
    .bind(workspaceId, page.beforeId ?? null, page.limit + 1, now)
    .all<JudgedHook>();
  return results;
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

/** Deletes a hook; if a key is named, only one that is that key's. Whether there was one. */
export async function deleteHook(
  db: Database,
  workspaceId: string,
  id: string,
  keyId?: string,
): Promise<boolean> {
  const deleted = await db
    .delete(automationHooks)
    .where(and(ofWorkspace(workspaceId, id), keyId === undefined ? undefined : ofKey(keyId)))
    .returning({ id: automationHooks.id });
  return deleted.length > 0;
}

/** An attempt that has its end in the database stops nothing more. */
const STOP = `DELETE FROM automation_hooks WHERE id = ?1 AND workspace_id = ?2
  AND (?3 <> 'failing' OR failing_since <= ?4) AND ${hasNotEnded("?1", "?5", "?6")}`;

/**
 * What keeps how attempts at a hook ended. A hook is not paused: it goes, and whoever wants it asks
 * again. One that was asked for again has begun to fail later, if at all, than `failing` says.
 */
export function noteEnds(
  db: Database,
  { workspaceId, id }: Pick<HookRow, "workspaceId" | "id">,
  ended: EndedAttempt[],
  now: number,
): D1PreparedStatement[] {
  const stopping = findStopping(ended);
  if (!stopping) return noteConduct(db, "automation_hooks", { workspaceId, id }, ended, now);
  const { stop, startedAt, deliveryId, number } = stopping;
  return [db.$client.prepare(STOP).bind(id, workspaceId, stop, startedAt, deliveryId, number)];
}
