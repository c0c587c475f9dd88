import { ApiError } from "../../api/errors.ts";
import type { PageRequest } from "../../api/pagination.ts";
import { changesNothing } from "../../api/unchanged.ts";
import { type Context, inWorkspace, type PlatformContext } from "../../platform/context/context.ts";
import { newId } from "../../platform/ids.ts";
import { now, toTimestamp } from "../../platform/time.ts";
import type { MemberRow } from "./members.repository.ts";
import { newMember } from "./members.service.ts";
import { changeWorkspace } from "./workspace-change.ts";
import type { WorkspaceRow } from "./workspaces.repository.ts";
import * as repository from "./workspaces.repository.ts";
import type { CreateWorkspace, UpdateWorkspace, Workspace } from "./workspaces.schemas.ts";

/** The workspace that work is for. @throws 404 */
export async function getWorkspace({ db, workspaceId }: Context): Promise<WorkspaceRow> {
  const workspace = await repository.findWorkspace(db, workspaceId);
  if (!workspace) throw noWorkspace();
  return workspace;
}

/** The operator's work on a workspace that is there. @throws 404 */
export async function workIn(ctx: PlatformContext, workspaceId: string): Promise<Context> {
  const work = inWorkspace(ctx, workspaceId);
  await getWorkspace(work);
  return work;
}

export async function listWorkspaces(
  { db }: PlatformContext,
  page: PageRequest,
): Promise<WorkspaceRow[]> {
  return repository.listWorkspaces(db, page);
}

/** Makes a workspace with an owner, so that keys can be issued for it at once. */
export async function createWorkspace(
  { db }: PlatformContext,
  input: CreateWorkspace,
): Promise<{ workspace: WorkspaceRow; owner: MemberRow }> {
  const time = now();
  const id = newId();
  const workspace: WorkspaceRow = {
    ...input,
    id,
    status: "active",
    resumedAt: null,
    createdAt: time,
    updatedAt: time,
  };
  const owner = newMember({ workspaceId: id }, { email: null, role: "owner" });
  await repository.insertWorkspace(db, workspace, owner);
  return { workspace, owner };
}

/** @throws 409 when it is being deleted */
export async function updateWorkspace(
  ctx: Context,
  current: WorkspaceRow,
  { status, plan, features }: UpdateWorkspace,
): Promise<WorkspaceRow> {
  const changes = {
    ...(status && { status }),
    ...(plan && { plan }),
    ...(features && { features }),
  };
  if (changesNothing(current, changes)) return current;
  const time = now();
  // What was parked is looked for once more, by a job: some of it may go out now.
  const mayResume = status !== "suspended" && (status || features);
  const noted = { ...changes, ...(mayResume && { resumedAt: time }), updatedAt: time };
  const workspace = await changeWorkspace(ctx, () =>
    repository.updateWorkspace(ctx.db, ctx.workspaceId, noted),
  );
  if (!workspace) throw new ApiError("conflict", { message: "This workspace is being deleted." });
  return workspace;
}

export function presentWorkspace(row: WorkspaceRow): Workspace {
  const { id, name, plan, status, features } = row;
  return {
    id,
    name,
    plan,
    status,
    features,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

function noWorkspace(): ApiError {
  return new ApiError("not_found", { message: "There is no such workspace." });
}
