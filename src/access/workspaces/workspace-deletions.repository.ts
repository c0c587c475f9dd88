import { and, asc, eq, isNull, lte } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { workspaceDeletions } from "./workspace-deletions.table.ts";

export type DeletionRow = typeof workspaceDeletions.$inferSelect;

/** Begins to delete a workspace that is there: suspended in the same transaction, so in any case. */
export async function insertDeletion(db: Database, id: string, time: number): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    d1
      .prepare(
        `INSERT INTO workspace_deletions (id, passes, place, position, due_at, created_at)
         SELECT id, 0, '', '', ?2, ?2 FROM workspaces WHERE id = ?1 ON CONFLICT DO NOTHING`,
      )
      .bind(id, time),
    d1
      .prepare(
        `UPDATE workspaces SET status = 'suspended', resumed_at = NULL, updated_at = ?2
         WHERE id = ?1 AND status <> 'suspended'`,
      )
      .bind(id, time),
  ]);
}

export async function findDeletion(db: Database, id: string): Promise<DeletionRow | undefined> {
  return db.select().from(workspaceDeletions).where(eq(workspaceDeletions.id, id)).get();
}

/** Those to go on with, the longest due first. */
export async function findDueDeletions(
  db: Database,
  time: number,
  limit: number,
): Promise<DeletionRow[]> {
  const { dueAt, finishedAt } = workspaceDeletions;
  return db
    .select()
    .from(workspaceDeletions)
    .where(and(isNull(finishedAt), lte(dueAt, time)))
    .orderBy(asc(dueAt))
    .limit(limit);
}

/** Says how far a deletion is. Of two jobs at once the later one wins: what is gone is gone twice. */
export async function saveDeletion(db: Database, row: DeletionRow): Promise<void> {
  const { id, passes, place, position, dueAt, finishedAt } = row;
  await db
    .update(workspaceDeletions)
    .set({ passes, place, position, dueAt, finishedAt })
    .where(and(eq(workspaceDeletions.id, id), isNull(workspaceDeletions.finishedAt)));
}
