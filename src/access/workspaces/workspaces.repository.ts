import { desc, eq, lt } from "drizzle-orm";
import type { PageRequest } from "../../api/pagination.ts";
import type { Database } from "../../platform/db/client.ts";
import { type MemberRow, memberInsert } from "./members.repository.ts";
import { workspaces } from "./workspaces.table.ts";

export type WorkspaceRow = typeof workspaces.$inferSelect;

/** A workspace and its owner, both or neither. */
export async function insertWorkspace(
  db: Database,
  workspace: WorkspaceRow,
  owner: MemberRow,
): Promise<void> {
  await db.batch([db.insert(workspaces).values(workspace), memberInsert(db, owner)]);
}

export async function findWorkspace(db: Database, id: string): Promise<WorkspaceRow | undefined> {
  return db.select().from(workspaces).where(eq(workspaces.id, id)).get();
}

export async function listWorkspaces(db: Database, page: PageRequest): Promise<WorkspaceRow[]> {
  return db
    .select()
    .from(workspaces)
    .where(page.beforeId ? lt(workspaces.id, page.beforeId) : undefined)
    .orderBy(desc(workspaces.id))
    .limit(page.limit + 1);
}

export async function updateWorkspace(
  db: Database,
  id: string,
  changes: Partial<WorkspaceRow>,
): Promise<WorkspaceRow | undefined> {
  return db.update(workspaces).set(changes).where(eq(workspaces.id, id)).returning().get();
}
