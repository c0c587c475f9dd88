/** Public files are looked up before any workspace is known. */
import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { Env } from "../../../platform/config.ts";
import { sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { joinServedDomain } from "../domains/domains.ports.ts";
import type { FileType } from "./file-types.ts";

/** What is known of a content at a host. */
export interface PublicFile {
  type: FileType;
  bytes: number;
  /** All who have it are suspended, or the operator took it out of service. */
  isGone: boolean;
}

const COLUMNS = `files.type, files.bytes,
  EXISTS (SELECT 1 FROM disabled_files WHERE disabled_files.sha256 = ?1)`;

/** One workspace that may show it is enough; else it is gone for all. */
const ON_PLATFORM = `SELECT * FROM (
    SELECT ${COLUMNS} AS isGone
    FROM files CROSS ${joinWorkspace("files.workspace_id")}
    WHERE files.sha256 = ?1 AND workspaces.status <> 'suspended' LIMIT 1)
  UNION ALL SELECT * FROM (
    SELECT files.type, files.bytes, 1 FROM files WHERE files.sha256 = ?1 LIMIT 1)
  LIMIT 1`;

const ON_DOMAIN = `SELECT ${COLUMNS} OR workspaces.status = 'suspended' AS isGone
  FROM (SELECT 1) CROSS ${joinServedDomain("?2")}
    CROSS JOIN files ON files.sha256 = ?1 AND files.workspace_id = domains.workspace_id
    CROSS ${joinWorkspace("files.workspace_id")}`;

/** A content on the platform's host (null), or on a host of a workspace that has it. */
export async function findPublicFile(
  env: Env,
  sha256: string,
  host: string | null,
): Promise<PublicFile | undefined> {
  // From the primary: who has just made it knows the address, and a replica might not.
  const found = await retryTransient(() => {
    const session = sharedSession(env, "primary");
    const statement =
      host === null
        ? session.prepare(ON_PLATFORM).bind(sha256)
        : session.prepare(ON_DOMAIN).bind(sha256, host);
    return statement.first<{ type: FileType; bytes: number; isGone: number }>();
  });
  return found ? { ...found, isGone: found.isGone === 1 } : undefined;
}
