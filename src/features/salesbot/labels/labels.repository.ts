import { and, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { LabelKind } from "./labels.ports.ts";
import { stages } from "./stages.table.ts";
import { tags } from "./tags.table.ts";

export type LabelRow = typeof tags.$inferSelect;

const TABLES = { tag: tags, stage: stages as unknown as typeof tags };

/** Those of a workspace that are not deleted. */
function live(kind: LabelKind, workspaceId: string) {
  const table = TABLES[kind];
  return and(eq(table.workspaceId, workspaceId), isNull(table.deletedAt));
}

function ofWorkspace(kind: LabelKind, workspaceId: string, id: string) {
  const table = TABLES[kind];
  return and(live(kind, workspaceId), eq(table.id, id));
}

/** @throws a unique conflict when the id exists or the name is taken. */
export async function insertLabel(db: Database, kind: LabelKind, row: LabelRow): Promise<void> {
  await db.insert(TABLES[kind]).values(row);
}

export async function findLabel(
  db: Database,
  kind: LabelKind,
  workspaceId: string,
  id: string,
): Promise<LabelRow | undefined> {
  return db
    .select()
    .from(TABLES[kind])
    .where(ofWorkspace(kind, workspaceId, id))
    .get();
}

/** Which of these ids are the workspace's. The ids travel as one parameter: D1 allows 100. */
export async function findLabelIds(
  db: Database,
  kind: LabelKind,
  workspaceId: string,
  ids: string[],
): Promise<string[]> {
  const table = TABLES[kind];
  const wanted = sql`${table.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(live(kind, workspaceId), wanted));
  return rows.map((row) => row.id);
}

export async function listLabels(
  db: Database,
  kind: LabelKind,
  workspaceId: string,
  page: PageRequest,
): Promise<LabelRow[]> {
  const table = TABLES[kind];
  const before = page.beforeId ? lt(table.id, page.beforeId) : undefined;
  return db
    .select()
    .from(table)
    .where(and(live(kind, workspaceId), before))
    .orderBy(desc(table.id))
    .limit(page.limit + 1);
}

/** Changes a label if it still has this revision. @throws a unique conflict */
export async function updateLabel(
  db: Database,
  kind: LabelKind,
  label: LabelRow,
  changes: Partial<LabelRow>,
): Promise<LabelRow | undefined> {
  const table = TABLES[kind];
  return db
    .update(table)
    .set(changes)
    .where(and(ofWorkspace(kind, label.workspaceId, label.id), eq(table.revision, label.revision)))
    .returning()
    .get();
}
