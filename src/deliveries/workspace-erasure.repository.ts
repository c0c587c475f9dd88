import type { Context } from "../platform/context/context.ts";
import { WALKED_TARGETS } from "./walked-targets.repository.ts";

/** Deletes up to `limit` targets of a workspace, and says which those were. */
export async function deleteTargetsOf(
  { db, workspaceId }: Context,
  table: string,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `DELETE FROM ${table} WHERE id IN
         (SELECT id FROM ${table} WHERE workspace_id = ?1 LIMIT ?2) RETURNING id`,
    )
    .bind(workspaceId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** The next targets that have deliveries, from one on, and whether those are the workspace's. */
export async function walkTargets(
  { db, workspaceId }: Context,
  from: string,
  limit: number,
): Promise<{ target: string; isOwn: 0 | 1 }[]> {
  const { results } = await db.$client
    .prepare(
      `${WALKED_TARGETS} SELECT target, ?3 = (SELECT workspace_id FROM target_deliveries
           WHERE target_id = walked.target LIMIT 1) AS isOwn
       FROM walked WHERE target IS NOT NULL`,
    )
    .bind(from, limit, workspaceId)
    .all<{ target: string; isOwn: 0 | 1 }>();
  return results;
}

/** Deletes up to `limit` deliveries of some targets of a workspace; how many it did. */
export async function deleteDeliveriesOf(
  { db, workspaceId }: Context,
  targets: string[],
  limit: number,
): Promise<number> {
  const { results } = await db.$client
    .prepare(
      `DELETE FROM target_deliveries WHERE (target_id, id) IN (
         SELECT of.target_id, of.id FROM json_each(?2) AS asked
           CROSS JOIN target_deliveries AS of ON of.target_id = asked.value
         WHERE of.workspace_id = ?1 LIMIT ?3) RETURNING 1`,
    )
    .bind(workspaceId, JSON.stringify(targets), limit)
    .all();
  return results.length;
}
