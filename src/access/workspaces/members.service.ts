import { ApiError, invalid } from "../../api/errors.ts";
import type { PageRequest } from "../../api/pagination.ts";
import { changesNothing } from "../../api/unchanged.ts";
import type { Context } from "../../platform/context/context.ts";
import { newId } from "../../platform/ids.ts";
import { now, toTimestamp } from "../../platform/time.ts";
import * as repository from "./members.repository.ts";
import {
  findMember,
  findOwner,
  insertMember,
  type MemberRow,
  updateMember,
} from "./members.repository.ts";
import type { CreateMember, Member } from "./members.schemas.ts";
import type { Role } from "./permissions.ts";
import { changeWorkspace } from "./workspace-change.ts";

export function newMember(
  { workspaceId }: Pick<Context, "workspaceId">,
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
  { db, workspaceId }: Context,
  id: string | undefined,
): Promise<MemberRow> {
  const member = id ? await findMember(db, workspaceId, id) : await findOwner(db, workspaceId);
  if (!member) throw invalid("member", "There is no such member in this workspace.");
  return member;
}

/** @throws 422 when a member who is there has the e-mail, whatever its case */
export async function addMember(ctx: Context, input: CreateMember): Promise<MemberRow> {
  const member = newMember(ctx, input);
  if (await insertMember(ctx.db, member)) return member;
  throw invalid("email", "A member of this workspace has this e-mail address already.");
}

export async function listMembers(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<MemberRow[]> {
  return repository.listMembers(db, workspaceId, page);
}

/** A member who was not removed. @throws 404 */
export async function getMember({ db, workspaceId }: Context, id: string): Promise<MemberRow> {
  const member = await findMember(db, workspaceId, id);
  if (!member) throw new ApiError("not_found", { message: "There is no such member." });
  return member;
}

/** @throws 404, 409 when it is the only owner */
export async function changeRole(ctx: Context, member: MemberRow, role: Role): Promise<MemberRow> {
  if (changesNothing(member, { role })) return member;
  return change(ctx, member.id, { role });
}

/** @throws 404, 409 when it is the only owner */
export async function removeMember(ctx: Context, id: string): Promise<void> {
  await change(ctx, id, { removedAt: now() });
}

async function change(
  ctx: Context,
  id: string,
  changes: Partial<Pick<MemberRow, "role" | "removedAt">>,
): Promise<MemberRow> {
  const member = await changeWorkspace(ctx, () =>
    updateMember(ctx.db, ctx.workspaceId, id, { ...changes, updatedAt: now() }),
  );
  if (member) return member;
  await getMember(ctx, id);
  const message = "A workspace keeps an owner: make another member one first.";
  throw new ApiError("conflict", { message });
}

export function presentMember(row: MemberRow): Member {
  const { id, email, role } = row;
  const created_at = toTimestamp(row.createdAt);
  return { id, email, role, created_at, updated_at: toTimestamp(row.updatedAt) };
}
