import { and, eq } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { retryTransient } from "../../platform/db/retry.ts";
import { apiKeys } from "../keys/keys.table.ts";
import { members } from "../workspaces/members.table.ts";
import { effectivePermissions, type Feature, type Permission } from "../workspaces/permissions.ts";
import { workspaces } from "../workspaces/workspaces.table.ts";

/** Everything that decides whether a key may come in. Times in milliseconds. */
export interface Principal {
  keyId: string;
  expiresAt: number | null;
  revokedAt: number | null;
  memberRemovedAt: number | null;
  suspended: boolean;
  features: Feature[];
  permissions: Permission[];
}

export async function findPrincipal(
  db: Database,
  workspaceId: string,
  keyHash: string,
): Promise<Principal | undefined> {
  const rows = await retryTransient(() =>
    db
      .select({
        keyId: apiKeys.id,
        expiresAt: apiKeys.expiresAt,
        revokedAt: apiKeys.revokedAt,
        granted: apiKeys.permissions,
        memberRemovedAt: members.removedAt,
        role: members.role,
        status: workspaces.status,
        features: workspaces.features,
      })
      .from(apiKeys)
      .innerJoin(members, eq(members.id, apiKeys.memberId))
      .innerJoin(workspaces, eq(workspaces.id, apiKeys.workspaceId))
      .where(and(eq(apiKeys.hash, keyHash), eq(apiKeys.workspaceId, workspaceId))),
  );
  const row = rows[0];
  return (
    row && {
      keyId: row.keyId,
      expiresAt: row.expiresAt,
      revokedAt: row.revokedAt,
      memberRemovedAt: row.memberRemovedAt,
      suspended: row.status === "suspended",
      features: row.features,
      permissions: effectivePermissions(row.granted, row.role),
    }
  );
}
