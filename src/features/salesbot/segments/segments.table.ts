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
