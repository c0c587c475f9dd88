import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { Part } from "../../../platform/db/walk.ts";
import { segments, segmentUses } from "./segments.table.ts";

export type SegmentRow = typeof segments.$inferSelect;

/** The tags and stages that a segment names. */
export interface SegmentUses {
  tags: string[];
  stages: string[];
}

export async function findSegment(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<SegmentRow | undefined> {
  return db
    .select()
    .from(segments)
    .where(and(eq(segments.workspaceId, workspaceId), eq(segments.id, id)))
    .get();
}

/** Of a page: a segment may be 256 KB. The one that passes it is the last. */
const MOST_PAGE_BYTES = 1_000_000;
/** Sorts after every id. */
const BEFORE_ALL = "~";

/** Newest first. Where segments are large a page ends early: `lastId` is where it goes on. */
export async function listSegments(
  db: Database,
  workspaceId: string,
  { limit, beforeId = BEFORE_ALL }: PageRequest,
): Promise<Part<SegmentRow>> {
  const older = and(eq(segments.workspaceId, workspaceId), lt(segments.id, beforeId));
  const sizes = await db
    .select({ id: segments.id, bytes: sql<number>`bytes` })
    .from(segments)
    .where(older)
    .orderBy(desc(segments.id))
    .limit(limit + 1);
  let read = 0;
  const fitting = sizes.slice(0, limit).filter(({ bytes }) => {
    const fits = read < MOST_PAGE_BYTES;
    read += bytes;
    return fits;
  });
  const last = fitting.at(-1);
  if (!last) return { rows: [], lastId: null };
  const rows = await db
    .select()
    .from(segments)
    .where(and(older, gte(segments.id, last.id)))
    .orderBy(desc(segments.id))
    .limit(fitting.length);
  return { rows, lastId: fitting.length < sizes.length ? last.id : null };
}

/** The first segments of a workspace that name a tag or a stage. */
export async function findSegmentsUsing(
  db: Database,
  workspaceId: string,
  kind: "tag" | "stage",
  id: string,
  limit: number,
): Promise<Pick<SegmentRow, "id" | "name">[]> {
  const used = kind === "tag" ? segmentUses.tagId : segmentUses.stageId;
  return (
    db
      .select({ id: segments.id, name: segments.name })
      .from(segments)
      .innerJoin(segmentUses, eq(segmentUses.segmentId, segments.id))
      // The plus keeps the index of the workspace out: that of the label finds far fewer.
      .where(and(eq(used, id), sql`+${segments.workspaceId} = ${workspaceId}`))
      .limit(limit)
  );
}

const USED = "SELECT coalesce(tag_id, stage_id) FROM segment_uses WHERE segment_id = ?1";
const WRITTEN = "EXISTS (SELECT 1 FROM segments WHERE id = ?1 AND revision = ?2)";

/**
 * Writes a segment and what it uses, in one transaction: a new one, or the one that has still the
 * revision it `replaces`. Whether it did. @throws a unique conflict when the id of a new one stands,
 * a reference conflict when a tag or stage is gone
 */
export async function writeSegment(
  db: Database,
  segment: SegmentRow,
  replaces: string | null,
  uses: SegmentUses,
): Promise<boolean> {
  const d1 = db.$client;
  const { id, workspaceId, revision } = segment;
  const definition = [
    segment.name,
    segment.stageId,
    JSON.stringify(segment.includeTags),
    JSON.stringify(segment.excludeTags),
    segment.minDaysInactive,
    segment.conditions && JSON.stringify(segment.conditions),
    segment.updatedAt,
    segment.contactsCount,
    segment.countedAt,
  ];
  const write =
    replaces === null
      ? d1
          .prepare(
            `INSERT INTO segments (id, revision, workspace_id, created_at, name, stage_id,
               include_tags, exclude_tags, min_days_inactive, conditions, updated_at,
               contacts_count, counted_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)`,
          )
          .bind(id, revision, workspaceId, segment.createdAt, ...definition)
      : d1
          .prepare(
            `UPDATE segments SET revision = ?2, name = ?5, stage_id = ?6, include_tags = ?7,
               exclude_tags = ?8, min_days_inactive = ?9, conditions = ?10, updated_at = ?11,
               contacts_count = ?12, counted_at = ?13
             WHERE id = ?1 AND workspace_id = ?3 AND revision = ?4`,
          )
          .bind(id, revision, workspaceId, replaces, ...definition);
  const labels = [JSON.stringify(uses.tags), JSON.stringify(uses.stages)];
  const [written] = await d1.batch([
    write,
    // Only what differs: a rename writes none.
    d1
      .prepare(
        `DELETE FROM segment_uses WHERE segment_id = ?1 AND ${WRITTEN}
           AND coalesce(tag_id, stage_id) NOT IN (SELECT value FROM json_each(?3)
             UNION ALL SELECT value FROM json_each(?4))`,
      )
      .bind(id, revision, ...labels),
    d1
      .prepare(
        `INSERT INTO segment_uses (segment_id, tag_id, stage_id)
         SELECT ?1, value, NULL FROM json_each(?3) WHERE ${WRITTEN} AND value NOT IN (${USED})
         UNION ALL
         SELECT ?1, NULL, value FROM json_each(?4) WHERE ${WRITTEN} AND value NOT IN (${USED})`,
      )
      .bind(id, revision, ...labels),
  ]);
  return (written?.meta.changes ?? 0) > 0;
}

/** Deletes a segment if it still has this revision. Whether it did. */
export async function deleteSegment(db: Database, segment: SegmentRow): Promise<boolean> {
  const { id, workspaceId, revision } = segment;
  const deleted = await db
    .delete(segments)
    .where(
      and(
        eq(segments.workspaceId, workspaceId),
        eq(segments.id, id),
        eq(segments.revision, revision),
      ),
    )
    .returning({ id: segments.id });
  return deleted.length > 0;
}
