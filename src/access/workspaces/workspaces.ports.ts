/** What other features' statements need of the workspaces table. */

/** SQL that joins a workspace, by the SQL of its id. */
export function joinWorkspace(id: string): string {
  return `JOIN workspaces ON workspaces.id = ${id}`;
}

/** SQL of a workspace by the SQL of its id: the source of an INSERT. */
export function existingWorkspace(id: string): string {
  return `FROM workspaces WHERE workspaces.id = ${id}`;
}
