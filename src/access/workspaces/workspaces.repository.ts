import { and, asc, desc, eq, isNotNull, lt, notExists } from "drizzle-orm";
import type { PageRequest } from "../../api/pagination.ts";
import type { Database } from "../../platform/db/client.ts";
import { type MemberRow, memberInsert } from "./members.repository.ts";
import { workspaceDeletions } from "./workspace-deletions.table.ts";
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

/** Changes a workspace that is there, and is not being deleted. */
export async function updateWorkspace(
  db: Database,
  id: string,
  changes: Partial<WorkspaceRow>,
): Promise<WorkspaceRow | undefined> {
  return db
    .update(workspaces)
    .set(changes)
    .where(and(eq(workspaces.id, id), notExists(beingDeleted(db, id))))
    .returning()
    .get();
}

export type Resumed = Pick<WorkspaceRow, "id" | "status" | "features" | "resumedAt">;

/** Workspaces that may do more again, while parked work of theirs may wait; longest since first. */
export async function findResumed(db: Database, limit: number): Promise<Resumed[]> {
  const { id, status, features, resumedAt } = workspaces;
  return db
    .select({ id, status, features, resumedAt })
    .from(workspaces)
    .where(isNotNull(resumedAt))
    .orderBy(asc(resumedAt))
    .limit(limit);
}

/** Notes that nothing of it is parked any more that it may do, unless it changed since. */
export async function endResumption(
  db: Database,
  id: string,
  resumedAt: number | null,
): Promise<void> {
  await db
    .update(workspaces)
    .set({ resumedAt: null })
    .where(and(eq(workspaces.id, id), eq(workspaces.resumedAt, resumedAt ?? 0)));
}

function beingDeleted(db: Database, id: string) {
  return db
    .select({ id: workspaceDeletions.id })
    .from(workspaceDeletions)
    .where(eq(workspaceDeletions.id, id));
}
