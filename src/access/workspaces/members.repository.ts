import { and, asc, eq, isNull } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { members } from "./members.table.ts";

export type MemberRow = typeof members.$inferSelect;

/** The statement, for a batch with what the member belongs to. */
export function memberInsert(db: Database, member: MemberRow) {
  return db.insert(members).values(member);
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

/** Changes a member who is there; the row as it is then, or undefined. */
export async function updateMember(
  db: Database,
  workspaceId: string,
  id: string,
  changes: Partial<Pick<MemberRow, "role" | "removedAt" | "updatedAt">>,
): Promise<MemberRow | undefined> {
  return db.update(members).set(changes).where(present(workspaceId, id)).returning().get();
}
