/** What other features' statements need of the workspaces table. */
import { FEATURES } from "./permissions.ts";

/** SQL that joins a workspace, by the SQL of its id. */
export function joinWorkspace(id: string): string {
  return `JOIN workspaces ON workspaces.id = ${id}`;
}

/** SQL of a workspace by the SQL of its id: the source of an INSERT. */
export function existingWorkspace(id: string): string {
  return `FROM workspaces WHERE workspaces.id = ${id}`;
}

const ANY_FEATURE = FEATURES.map((name) => `'${name}'`).join(", ");

/**
 * SQL of whether a workspace, by the SQL of its id, is active and has all of some features, by the
 * SQL of their names. A name that is no feature's asks for none.
 */
export function workspaceAllows(id: string, features: string[]): string {
  const has = features.map(
    (name) => ` AND (${name} NOT IN (${ANY_FEATURE})
      OR ${name} IN (SELECT value FROM json_each(workspaces.features)))`,
  );
  return `EXISTS (SELECT 1 FROM workspaces WHERE workspaces.id = ${id}
    AND workspaces.status = 'active'${has.join("")})`;
}
