import type { Database } from "../../db/client.ts";
import type { Env } from "../../env.ts";
import { changeWorkspace } from "../../gate/workspace-change.ts";
import { ApiError } from "../../http/errors.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { type MemberRow, newMember } from "../members/members.service.ts";
import {
  findWorkspace,
  insertWorkspace,
  listWorkspaces,
  updateWorkspace as update,
  type WorkspaceRow,
} from "./workspaces.repository.ts";
import type { CreateWorkspace, UpdateWorkspace, Workspace } from "./workspaces.schemas.ts";

export { listWorkspaces };

/** @throws 404 */
export async function getWorkspace(db: Database, id: string): Promise<WorkspaceRow> {
  const workspace = await findWorkspace(db, id);
  if (!workspace) throw noWorkspace();
  return workspace;
}

/** Makes a workspace with an owner, so that keys can be issued for it at once. */
export async function createWorkspace(
  db: Database,
  input: CreateWorkspace,
): Promise<{ workspace: WorkspaceRow; owner: MemberRow }> {
  const time = now();
  const id = newId();
  const workspace: WorkspaceRow = {
    ...input,
    id,
    status: "active",
    createdAt: time,
    updatedAt: time,
  };
  const owner = newMember(id, { email: null, role: "owner" });
  await insertWorkspace(db, workspace, owner);
  return { workspace, owner };
}

/** @throws 404 */
export async function updateWorkspace(
  env: Env,
  db: Database,
  id: string,
  { status, plan, features }: UpdateWorkspace,
): Promise<WorkspaceRow> {
  const changes = {
    ...(status && { status }),
    ...(plan && { plan }),
    ...(features && { features }),
    updatedAt: now(),
  };
  const workspace = await changeWorkspace(env, id, () => update(db, id, changes));
  if (!workspace) throw noWorkspace();
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
