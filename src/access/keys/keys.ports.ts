/** What other features' statements need of the keys table. */
import { memberMay } from "../workspaces/members.ports.ts";

/** A key, its workspace and the time, each by its SQL. */
interface KeySql {
  id: string;
  workspaceId: string;
  time: string;
}

/** SQL of whether a key is neither revoked nor expired, and its member is there. */
export function keyIsValid(key: KeySql): string {
  return keyMay(key, []);
}

/** SQL of whether a key, with its member, may do all of `permissions` (SQL each), as the gate has it. */
export function keyMay({ id, workspaceId, time }: KeySql, permissions: string[]): string {
  const granted = "(SELECT value FROM json_each(api_keys.permissions))";
  const may = permissions.map(
    (permission) => ` AND ('*' IN ${granted} OR ${permission} IN ${granted})`,
  );
  return `EXISTS (SELECT 1 FROM api_keys WHERE api_keys.id = ${id}
    AND api_keys.workspace_id = ${workspaceId} AND api_keys.revoked_at IS NULL
    AND (api_keys.expires_at IS NULL OR api_keys.expires_at > ${time})${may.join("")}
    AND ${memberMay("api_keys.member_id", permissions)})`;
}
