import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { Conditions } from "../contacts/contact-selection.ts";
import { stages } from "../labels/stages.table.ts";
import { tags } from "../labels/tags.table.ts";

/** Saved filters of contacts. */
export const segments = sqliteTable(
  "segments",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    name: text("name").notNull(),
    stageId: text("stage_id"),
    includeTags: text("include_tags", { mode: "json" }).$type<string[]>().notNull(),
    excludeTags: text("exclude_tags", { mode: "json" }).$type<string[]>().notNull(),
    minDaysInactive: integer("min_days_inactive"),
    /** What the sanitiser kept; null: none. */
    conditions: text("conditions", { mode: "json" }).$type<Conditions>(),
    /** How many contacts were in it when that was counted last; null: it is not counted yet. */
    contactsCount: integer("contacts_count"),
    countedAt: integer("counted_at"),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("segments_workspace").on(table.workspaceId, table.id)],
);

/** The tags and stages that segments name: while one does, the database keeps them. */
export const segmentUses = sqliteTable(
  "segment_uses",
  {
    segmentId: text("segment_id")
      .notNull()
      .references(() => segments.id, { onDelete: "cascade" }),
    tagId: text("tag_id").references(() => tags.id),
    stageId: text("stage_id").references(() => stages.id),
  },
  (table) => [
    index("segment_uses_segment").on(table.segmentId),
    index("segment_uses_tag").on(table.tagId),
    index("segment_uses_stage").on(table.stageId),
  ],
);

/** How far a round over a workspace's segments has come, which counts each of them anew. */
export interface RoundProgress {
  /** The last segment that is done; blank: none. */
  doneId: string;
  /** The one that is being counted, as it was read, and how far that has come; null: none is. */
  counting: { id: string; revision: string } | null;
  found: number;
  beforeId: string | null;
  /** Of this round, in microseconds of the database, about. */
  work: number;
  /** One of the segments so far changes by time alone. */
  isTimed: boolean;
}

/**
 * When a workspace's segments are counted anew. Triggers (a migration's) make the row with the first
 * segment and set `changed` with every change of a contact or a segment, so that no writer can forget.
 */
export const segmentRecounts = sqliteTable(
  "segment_recounts",
  {
    workspaceId: text("workspace_id").primaryKey(),
    /** Null: nothing is to be done. While somebody counts, when their lease ends. */
    dueAt: integer("due_at"),
    /** No round begins before. */
    restsUntil: integer("rests_until").notNull(),
    /** Since the last round began. */
    changed: integer("changed", { mode: "boolean" }).notNull(),
    /** Null: no round is under way. */
    progress: text("progress", { mode: "json" }).$type<RoundProgress>(),
  },
  (table) => [index("segment_recounts_due").on(table.dueAt).where(sql`${table.dueAt} IS NOT NULL`)],
);
