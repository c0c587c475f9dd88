import { and, asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import type { SegmentRow } from "./segments.repository.ts";
import { type RoundProgress, segments } from "./segments.table.ts";

/** A workspace whose segments somebody counts until the lease ends. */
export interface TakenRound {
  workspaceId: string;
  leaseUntil: number;
  /** Null: a new round begins. */
  progress: RoundProgress | null;
}

/** Takes the workspace that has waited longest, if any is due. */
export async function takeDueRound(
  db: Database,
  time: number,
  leaseUntil: number,
): Promise<TakenRound | undefined> {
  const taken = await db.$client
    .prepare(
      `UPDATE segment_recounts SET due_at = ?2, rests_until = ?2,
         changed = iif(progress IS NULL, 0, changed)
       WHERE workspace_id = (SELECT workspace_id FROM segment_recounts
         INDEXED BY segment_recounts_due WHERE due_at <= ?1 ORDER BY due_at LIMIT 1)
       RETURNING workspace_id AS workspaceId, progress`,
    )
    .bind(time, leaseUntil)
    .all<{ workspaceId: string; progress: string | null }>();
  const [row] = taken.results;
  if (!row) return undefined;
  const { workspaceId, progress } = row;
  return { workspaceId, leaseUntil, progress: progress === null ? null : JSON.parse(progress) };
}

/** The first segment of a workspace after another one. */
export async function findSegmentAfter(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<SegmentRow | undefined> {
  return db
    .select()
    .from(segments)
    .where(and(eq(segments.workspaceId, workspaceId), gt(segments.id, id)))
    .orderBy(asc(segments.id))
    .limit(1)
    .get();
}

/** Keeps a count, unless the segment was changed since it was read: that begins another round. */
export async function keepCount(
  db: Database,
  { workspaceId, id, revision }: SegmentRow,
  count: number,
  time: number,
): Promise<void> {
  await db
    .update(segments)
    .set({ contactsCount: count, countedAt: time })
    .where(
      and(
        eq(segments.workspaceId, workspaceId),
        eq(segments.id, id),
        eq(segments.revision, revision),
      ),
    );
}

const HELD = "workspace_id = ?1 AND due_at = ?2";

/** Lets go of a round that is not finished: the others that are due come first. */
export async function pauseRound(
  db: Database,
  { workspaceId, leaseUntil }: TakenRound,
  progress: RoundProgress,
  time: number,
): Promise<void> {
  await db.$client
    .prepare(`UPDATE segment_recounts SET due_at = ?3, progress = ?4 WHERE ${HELD}`)
    .bind(workspaceId, leaseUntil, time, JSON.stringify(progress))
    .run();
}

/** Ends a round. The next begins after the rest if anything changed meanwhile, else at `nextAt`. */
export async function endRound(
  db: Database,
  { workspaceId, leaseUntil }: TakenRound,
  restsUntil: number,
  nextAt: number | null,
): Promise<void> {
  await db.$client
    .prepare(
      `UPDATE segment_recounts SET rests_until = ?3, progress = NULL,
         due_at = iif(changed, ?3, ?4)
       WHERE ${HELD}`,
    )
    .bind(workspaceId, leaseUntil, restsUntil, nextAt)
    .run();
}
