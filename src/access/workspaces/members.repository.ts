import { and, asc, desc, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { PageRequest } from "../../api/pagination.ts";
import type { Database } from "../../platform/db/client.ts";
import { members } from "./members.table.ts";

export type MemberRow = typeof members.$inferSelect;

/** The statement, for a batch with what the member belongs to. */
export function memberInsert(db: Database, member: MemberRow) {
  return db.insert(members).values(member);
}

/**
 * Adds a member unless one who is there has its e-mail, in one statement, so that two at once
 * cannot both be added. Whether it was.
 */
export async function insertMember(db: Database, member: MemberRow): Promise<boolean> {
  const added = await db.$client
    .prepare(
      `INSERT INTO members (id, workspace_id, email, role, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?5
       WHERE NOT EXISTS (SELECT 1 FROM members
         WHERE workspace_id = ?2 AND removed_at IS NULL AND email = ?3 COLLATE NOCASE)`,
    )
    .bind(member.id, member.workspaceId, member.email, member.role, member.createdAt)
    .run();
  return added.meta.changes > 0;
}

function present(workspaceId: string, id: string) {
  return and(eq(members.workspaceId, workspaceId), eq(members.id, id), isNull(members.removedAt));
}

export async function findMember(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<MemberRow | undefined> {
  return db.select().from(members).where(present(workspaceId, id)).get();
}

/** The owner who has been there longest. */
export async function findOwner(db: Database, workspaceId: string): Promise<MemberRow | undefined> {
  return db
    .select()
    .from(members)
    .where(
      and(
        eq(members.workspaceId, workspaceId),
        eq(members.role, "owner"),
        isNull(members.removedAt),
      ),
    )
    .orderBy(asc(members.id))
    .limit(1)
    .get();
}

/** The members who are there. */
export async function listMembers(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<MemberRow[]> {
  return db
    .select()
    .from(members)
    .where(
      and(
        eq(members.workspaceId, workspaceId),
        isNull(members.removedAt),
        page.beforeId ? lt(members.id, page.beforeId) : undefined,
      ),
    )
    .orderBy(desc(members.id))
    .limit(page.limit + 1);
}

/**
 * Changes a member who is there, unless the workspace would be left without an owner; the row as
 * it is then, or undefined. One statement, so that two owners at once cannot both go.
 */
export async function updateMember(
  db: Database,
  workspaceId: string,
  id: string,
  changes: Partial<Pick<MemberRow, "role" | "removedAt">> & { updatedAt: number },
): Promise<MemberRow | undefined> {
  const staysOwner = changes.role === "owner";
  const anotherOwner = sql`EXISTS (SELECT 1 FROM members AS other
    WHERE other.workspace_id = ${workspaceId} AND other.id <> ${id}
      AND other.role = 'owner' AND other.removed_at IS NULL)`;
  return db
    .update(members)
    .set(changes)
    .where(
      and(
        present(workspaceId, id),
        staysOwner ? undefined : or(ne(members.role, "owner"), anotherOwner),
      ),
    )
    .returning()
    .get();
}
