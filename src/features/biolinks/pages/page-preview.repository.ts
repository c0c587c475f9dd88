/** A preview's page is looked up before any workspace is known. */
import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { Env } from "../../../platform/config.ts";
import { sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { joinDomainInService } from "../domains/domains.ports.ts";

const FIND = `SELECT pages.workspace_id AS workspaceId, pages.handle_key AS handleKey,
    pages.domain_id IS NULL AS isOnPlatform, place.host,
    pages.disabled = 1 OR workspaces.status = 'suspended' AS isGone
  FROM pages CROSS ${joinWorkspace("pages.workspace_id")}
    LEFT ${joinDomainInService("place", "pages.domain_id")} WHERE pages.id = ?1`;

/** A page that a signed preview shows: whose it is, and where it stands. */
export interface Previewed {
  workspaceId: string;
  handleKey: string;
  isOnPlatform: boolean;
  /** Of its domain; null on the platform, and where the domain is gone or out of service. */
  host: string | null;
  /** Switched off by the operator, or its workspace is. */
  isGone: boolean;
}

export async function findPreviewed(env: Env, pageId: string): Promise<Previewed | null> {
  // From the primary: who opens it has just changed the draft.
  const found = await retryTransient(() =>
    sharedSession(env, "primary")
      .prepare(FIND)
      .bind(pageId)
      .first<
        Omit<Previewed, "isGone" | "isOnPlatform"> & Record<"isGone" | "isOnPlatform", number>
      >(),
  );
  return found && { ...found, isGone: found.isGone === 1, isOnPlatform: found.isOnPlatform === 1 };
}
