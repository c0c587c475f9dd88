import { and, eq } from "drizzle-orm";
import type { Database } from "../platform/db/client.ts";
import { erasures } from "./erasures.table.ts";

export type ErasureRow = typeof erasures.$inferSelect;

export async function findErasure(
  db: Database,
  workspaceId: string,
  subject: string,
): Promise<ErasureRow | undefined> {
  return db
    .select()
    .from(erasures)
    .where(and(eq(erasures.subject, subject), eq(erasures.workspaceId, workspaceId)))
    .get();
}

/** Those of some subjects that are erased, or are being erased. */
export async function findErased(
  db: Database,
  workspaceId: string,
  subjects: string[],
): Promise<Set<string>> {
  if (subjects.length === 0) return new Set();
  const { results } = await db.$client
    .prepare(
      `SELECT erasures.subject FROM json_each(?2) AS asked
       CROSS JOIN erasures ON erasures.subject = asked.value AND erasures.workspace_id = ?1`,
    )
    .bind(workspaceId, JSON.stringify(subjects))
    .all<{ subject: string }>();
  return new Set(results.map(({ subject }) => subject));
}

/**
 * The erasures to go on with: of each workspace the one that waits longest, in the order of chance
 * if they are too many. The index is asked for one workspace after the other.
 */
export async function findDueErasures(
  db: Database,
  time: number,
  limit: number,
): Promise<ErasureRow[]> {
  const { results } = await db.$client
    .prepare(
      `WITH RECURSIVE waiting (workspace) AS (
         SELECT ''
         UNION ALL SELECT (SELECT workspace_id FROM erasures INDEXED BY erasures_open
           WHERE finished_at IS NULL AND workspace_id > waiting.workspace
           ORDER BY workspace_id LIMIT 1)
         FROM waiting WHERE waiting.workspace IS NOT NULL
       ), next (subject) AS (
         SELECT (SELECT subject FROM erasures INDEXED BY erasures_open
           WHERE workspace_id = waiting.workspace AND finished_at IS NULL AND due_at <= ?1
           ORDER BY due_at LIMIT 1) FROM waiting
       )
       SELECT erasures.subject, workspace_id AS workspaceId, place, position, due_at AS dueAt,
         created_at AS createdAt, finished_at AS finishedAt
       FROM next CROSS JOIN erasures ON erasures.subject = next.subject
       ORDER BY random() LIMIT ?2`,
    )
    .bind(time, limit)
    .all<ErasureRow>();
  return results;
}

/** The statement that moves an erasure on, for the batch that did the work. */
export function erasureAdvance(
  db: Database,
  { subject, place, position }: ErasureRow,
  next: Pick<ErasureRow, "place" | "position" | "finishedAt">,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE erasures SET place = ?4, position = ?5, finished_at = ?6
       WHERE subject = ?1 AND place = ?2 AND position = ?3 AND finished_at IS NULL`,
    )
    .bind(subject, place, position, next.place, next.position, next.finishedAt);
}

/** Lets an erasure that met a fault wait, so that it holds up none of the others. */
export async function postponeErasure(
  db: Database,
  { subject, workspaceId }: ErasureRow,
  dueAt: number,
): Promise<void> {
  await db
    .update(erasures)
    .set({ dueAt })
    .where(and(eq(erasures.subject, subject), eq(erasures.workspaceId, workspaceId)));
}
