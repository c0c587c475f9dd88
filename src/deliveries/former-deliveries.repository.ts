import { tellsOfErased } from "../events/events.ports.ts";
import type { Database } from "../platform/db/client.ts";
import type { TargetRef } from "./targets.ts";

const COLUMNS = `id, workspace_id, target_kind, target_id, event_id, event, channel, test, resend_of,
  attempts_count, delivered_at, created_at`;

/** The erasure of a contact does not look at former deliveries: they are erased as they are moved. */
const IS_ERASED = tellsOfErased("former.event_id");
const IS_OPEN = "former.status IN ('pending', 'parked')";

/**
 * SQL of a former delivery's status, and of when it is due. What is parked waits: its workspace may
 * have been resumed before it was moved, and if it was not, its lane parks it again.
 */
const STATE = `CASE WHEN NOT ${IS_OPEN} THEN former.status WHEN ${IS_ERASED} THEN 'failed'
    ELSE 'pending' END,
  CASE WHEN NOT (${IS_OPEN} AND ${IS_ERASED}) THEN former.next_attempt_at END`;

/** SQL of its attempts, by their numbers. */
const ATTEMPTS = `(SELECT json_group_object(number, json_object('startedAt', started_at,
    'durationMs', duration_ms, 'statusCode', status_code, 'error', error,
    'responseBody', iif(${IS_ERASED}, NULL, response_body),
    'responseHeaders', iif(${IS_ERASED}, NULL, response_headers),
    'manual', manual))
  FROM delivery_attempts WHERE delivery_id = former.id)`;

/**
 * Moves up to `limit` former deliveries with their attempts, in one transaction: what waits first,
 * then the newest. Which targets have any waiting of those that were moved.
 */
export async function moveFormerDeliveries(
  db: Database,
  limit: number,
): Promise<{ moved: number; waiting: (TargetRef & { workspaceId: string })[] }> {
  const d1 = db.$client;
  const [pending, parked, newest] = await d1.batch<{ id: string }>([
    d1
      .prepare(
        `SELECT id FROM deliveries INDEXED BY deliveries_overdue
         WHERE status = 'pending' AND next_attempt_at >= 0 ORDER BY next_attempt_at LIMIT ?`,
      )
      .bind(limit),
    d1
      .prepare(
        `SELECT id FROM deliveries INDEXED BY deliveries_parked
         WHERE status = 'parked' AND workspace_id > '' ORDER BY workspace_id LIMIT ?`,
      )
      .bind(limit),
    d1.prepare("SELECT id FROM deliveries ORDER BY id DESC LIMIT ?").bind(limit),
  ]);
  const found = [pending, parked, newest].map((answer) => answer?.results ?? []);
  const chosen = found.find(({ length }) => length > 0);
  if (!chosen) return { moved: 0, waiting: [] };
  const ids = JSON.stringify(chosen.map(({ id }) => id));
  const write = (sql: string) => d1.prepare(sql).bind(ids);
  const [made] = await d1.batch<TargetRef & { workspaceId: string; status: string }>([
    write(
      `INSERT INTO target_deliveries (${COLUMNS}, status, next_attempt_at, listed, attempts)
       SELECT ${COLUMNS}, ${STATE}, 0, ${ATTEMPTS} FROM deliveries AS former
       WHERE former.id IN (SELECT value FROM json_each(?1)) ON CONFLICT DO NOTHING
       RETURNING target_kind AS kind, target_id AS id, workspace_id AS workspaceId, status`,
    ),
    write("DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT value FROM json_each(?1))"),
    write("DELETE FROM deliveries WHERE id IN (SELECT value FROM json_each(?1))"),
  ]);
  const waiting = new Map<string, TargetRef & { workspaceId: string }>();
  for (const { kind, id, workspaceId, status } of made?.results ?? []) {
    if (status === "pending") waiting.set(`${kind}:${id}`, { kind, id, workspaceId });
  }
  return { moved: chosen.length, waiting: [...waiting.values()] };
}

/** Whether any former delivery is left, of a target or at all. */
export async function hasFormerDeliveries(
  db: Database,
  of?: { workspaceId: string; targetId: string },
): Promise<boolean> {
  const statement = of
    ? db.$client
        .prepare(
          `SELECT 1 FROM deliveries INDEXED BY deliveries_target
           WHERE workspace_id = ? AND target_id = ? LIMIT 1`,
        )
        .bind(of.workspaceId, of.targetId)
    : db.$client.prepare("SELECT 1 FROM deliveries LIMIT 1");
  return (await statement.first()) !== null;
}
