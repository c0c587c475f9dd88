import type { Database } from "../../db/client.ts";
import type { Env } from "../../env.ts";
import { generateApiKey } from "../../gate/api-key.ts";
import { changeWorkspace } from "../../gate/workspace-change.ts";
import { ApiError } from "../../http/errors.ts";
import { now, toTimestamp } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/digest.ts";
import { newId } from "../../lib/ids.ts";
import { memberForKey } from "../members/members.service.ts";
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
} from "./keys.repository.ts";
import type { ApiKey, CreateApiKey } from "./keys.schemas.ts";

export { findApiKey, listApiKeys };

/** Issues a key. Only its hash is kept: `key` cannot be had again. @throws 422 */
export async function issueApiKey(
  db: Database,
  workspaceId: string,
  input: CreateApiKey,
): Promise<{ row: ApiKeyRow; key: string }> {
  const member = await memberForKey(db, workspaceId, input.member);
  const key = generateApiKey(workspaceId);
  const row: ApiKeyRow = {
    id: newId(),
    workspaceId,
    memberId: member.id,
    name: input.name,
    hash: await sha256Hex(key),
    lastFour: key.slice(-4),
    permissions: [...input.permissions],
    expiresAt: input.expires_at ? Date.parse(input.expires_at) : null,
    revokedAt: null,
    createdAt: now(),
  };
  await insertApiKey(db, row);
  return { row, key };
}

/** From the next request on the key opens nothing. @throws 404 */
export async function revokeKey(
  env: Env,
  db: Database,
  workspaceId: string,
  id: string,
): Promise<void> {
  const found = await changeWorkspace(env, workspaceId, () =>
    revokeApiKey(db, workspaceId, id, now()),
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
