/** What other features' statements need of the members table. */
import { ROLE_PERMISSIONS } from "./permissions.ts";

const OF_ROLES = JSON.stringify(ROLE_PERMISSIONS);

/** SQL of whether a member, by the SQL of its id, is there and may do all of `permissions`: SQL each. */
export function memberMay(id: string, permissions: string[]): string {
  const ofRole = `(SELECT value FROM json_each('${OF_ROLES}', '$.' || members.role))`;
  const may = permissions.map((permission) => ` AND ${permission} IN ${ofRole}`);
  return `EXISTS (SELECT 1 FROM members WHERE members.id = ${id}
    AND members.removed_at IS NULL${may.join("")})`;
}
