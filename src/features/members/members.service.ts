import type { Database } from "../../db/client.ts";
import type { Env } from "../../env.ts";
import type { Role } from "../../gate/permissions.ts";
import { changeWorkspace } from "../../gate/workspace-change.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import {
  findMember,
  findOwner,
  type MemberRow,
  memberInsert,
  updateMember,
} from "./members.repository.ts";
import type { CreateMember, Member } from "./members.schemas.ts";

export { type MemberRow, memberInsert };

export function newMember(
  workspaceId: string,
  { email, role }: { email: string | null; role: Role },
): MemberRow {
  const time = now();
  return {
    id: newId(),
    workspaceId,
    email,
    role,
    removedAt: null,
    createdAt: time,
    updatedAt: time,
  };
}

/** The member that a key is to belong to: the one named, else the owner. @throws 422 */
export async function memberForKey(
  db: Database,
  workspaceId: string,
  id: string | undefined,
): Promise<MemberRow> {
  const member = id ? await findMember(db, workspaceId, id) : await findOwner(db, workspaceId);
  if (!member) throw invalid("member", "There is no such member in this workspace.");
  return member;
}

export async function addMember(
  db: Database,
  workspaceId: string,
  input: CreateMember,
): Promise<MemberRow> {
  const member = newMember(workspaceId, input);
  await memberInsert(db, member);
  return member;
}

/** @throws 404 */
export async function changeRole(
  env: Env,
  db: Database,
  workspaceId: string,
  id: string,
  role: Role,
): Promise<MemberRow> {
  return change(env, db, workspaceId, id, { role });
}

/** @throws 404 */
export async function removeMember(
  env: Env,
  db: Database,
  workspaceId: string,
  id: string,
): Promise<void> {
  await change(env, db, workspaceId, id, { removedAt: now() });
}

async function change(
  env: Env,
  db: Database,
  workspaceId: string,
  id: string,
  changes: Partial<Pick<MemberRow, "role" | "removedAt">>,
): Promise<MemberRow> {
  const member = await changeWorkspace(env, workspaceId, () =>
    updateMember(db, workspaceId, id, { ...changes, updatedAt: now() }),
  );
  if (!member) throw new ApiError("not_found", { message: "There is no such member." });
  return member;
}

export function presentMember(row: MemberRow): Member {
  const { id, email, role } = row;
  const created_at = toTimestamp(row.createdAt);
  return { id, email, role, created_at, updated_at: toTimestamp(row.updatedAt) };
}
