import { tellsOfErased } from "../events/events.ports.ts";
import type { Database } from "../platform/db/client.ts";
import type { TargetRef } from "./targets.ts";

const COLUMNS = `id, workspace_id, target_kind, target_id, event_id, event, channel, test, resend_of,
  status, attempts_count, next_attempt_at, delivered_at, created_at`;

/**
 * SQL of a former delivery's attempts, by their numbers. The erasure of a contact does not look at
 * former deliveries: what was answered to one is not taken along.
 */
const ATTEMPTS = `(SELECT json_group_object(number, json_object('startedAt', started_at,
    'durationMs', duration_ms, 'statusCode', status_code, 'error', error,
    'responseBody', iif(${tellsOfErased("former.event_id")}, NULL, response_body),
    'responseHeaders', iif(${tellsOfErased("former.event_id")}, NULL, response_headers),
    'manual', manual))
  FROM delivery_attempts WHERE delivery_id = former.id)`;

/**
 * Moves up to `limit` former deliveries with their attempts, in one transaction: what waits first,
 * then the oldest. Which targets have any waiting of those that were moved.
 */
export async function moveFormerDeliveries(
  db: Database,
  limit: number,
): Promise<{ moved: number; waiting: (TargetRef & { workspaceId: string })[] }> {
  const d1 = db.$client;
  const [pending, oldest] = await d1.batch<{ id: string }>([
    d1
      .prepare(
        `SELECT id FROM deliveries INDEXED BY deliveries_overdue
         WHERE status = 'pending' AND next_attempt_at >= 0 ORDER BY next_attempt_at LIMIT ?`,
      )
      .bind(limit),
    d1.prepare("SELECT id FROM deliveries ORDER BY id LIMIT ?").bind(limit),
  ]);
  const chosen = pending?.results.length ? pending.results : (oldest?.results ?? []);
  if (chosen.length === 0) return { moved: 0, waiting: [] };
  const ids = JSON.stringify(chosen.map(({ id }) => id));
  const write = (sql: string) => d1.prepare(sql).bind(ids);
  const [made] = await d1.batch<TargetRef & { workspaceId: string; status: string }>([
    write(
      `INSERT INTO target_deliveries (${COLUMNS}, listed, attempts)
       SELECT ${COLUMNS}, 0, ${ATTEMPTS} FROM deliveries AS former
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
