import { ApiError } from "../../api/errors.ts";
import type { PageRequest } from "../../api/pagination.ts";
import type { Context } from "../../platform/context/context.ts";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import { newId } from "../../platform/ids.ts";
import { now, toTimestamp } from "../../platform/time.ts";
import { memberForKey } from "../workspaces/members.service.ts";
import { changeWorkspace } from "../workspaces/workspace-change.ts";
import { generateApiKey } from "./api-key.ts";
import type { ApiKeyRow } from "./keys.repository.ts";
import * as repository from "./keys.repository.ts";
import type { ApiKey, CreateApiKey } from "./keys.schemas.ts";

export async function findApiKey(
  { db, workspaceId }: Context,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return repository.findApiKey(db, workspaceId, id);
}

export async function listApiKeys(
  { db, workspaceId }: Context,
  page: PageRequest,
): Promise<ApiKeyRow[]> {
  return repository.listApiKeys(db, workspaceId, page);
}

/** Issues a key. Only its hash is kept: `key` cannot be had again. @throws 422 */
export async function issueApiKey(
  ctx: Context,
  input: CreateApiKey,
): Promise<{ row: ApiKeyRow; key: string }> {
  const { workspaceId } = ctx;
  const member = await memberForKey(ctx, input.member);
  const key = generateApiKey(workspaceId);
  const row: ApiKeyRow = {
    id: newId(),
    workspaceId,
    memberId: member.id,
    name: input.name,
    hash: await sha256Hex(key),
    lastFour: key.slice(-4),
    permissions: [...input.permissions],
    expiresAt: input.expires_at ?? null,
    revokedAt: null,
    createdAt: now(),
  };
  // The gate may remember that there is no such key, if somebody asked before it was there.
  await changeWorkspace(ctx, () => repository.insertApiKey(ctx.db, row));
  return { row, key };
}

/** From the next request on the key opens nothing. @throws 404 */
export async function revokeKey(ctx: Context, id: string): Promise<void> {
  const found = await changeWorkspace(ctx, () =>
    repository.revokeApiKey(ctx.db, ctx.workspaceId, id, now()),
  );
  if (!found) throw new ApiError("not_found", { message: "There is no such key." });
}

export function presentApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    last_four: row.lastFour,
    permissions: row.permissions,
    member: row.memberId,
    expires_at: row.expiresAt === null ? null : toTimestamp(row.expiresAt),
    revoked_at: row.revokedAt === null ? null : toTimestamp(row.revokedAt),
    created_at: toTimestamp(row.createdAt),
  };
}
