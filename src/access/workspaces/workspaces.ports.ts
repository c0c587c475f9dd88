/** What other features' statements need of the workspaces table. */
import { FEATURES } from "./permissions.ts";

/** SQL that joins a workspace, by the SQL of its id. */
export function joinWorkspace(id: string): string {
  return `JOIN workspaces ON workspaces.id = ${id}`;
}

/**
 * SQL that joins a workspace that is suspended, by the SQL of its id. Of one that is not, no row is
 * read: SQLite takes the index of the suspended. Not by its name: a replica may not have it yet.
 */
export function joinSuspension(as: string, id: string): string {
  return `JOIN workspaces AS ${as} ON ${as}.id = ${id} AND ${as}.status = 'suspended'`;
}

/** SQL of a workspace by the SQL of its id: the source of an INSERT. */
export function existingWorkspace(id: string): string {
  return `FROM workspaces WHERE workspaces.id = ${id}`;
}

const ANY_FEATURE = FEATURES.map((name) => `'${name}'`).join(", ");

/**
 * SQL of whether a workspace, by the SQL of its id, is active and has all of some features, by the
 * SQL of their names: 1 or 0. A name that is no feature's asks for none. Where the id is a
 * parameter, SQLite looks once a statement, however many rows it judges.
 */
export function workspaceAllows(id: string, features: string[]): string {
  const ofWorkspace = `(SELECT workspaces.features || '""' FROM workspaces
    WHERE workspaces.id = ${id} AND workspaces.status = 'active')`;
  const has = features.map((name) => {
    const needed = `CASE WHEN ${name} IN (${ANY_FEATURE}) THEN ${name} ELSE '' END`;
    return `instr(coalesce(${ofWorkspace}, ''), '"' || ${needed} || '"') > 0`;
  });
  return `(${has.join(" AND ")})`;
}
