/** What other features' statements need of the links table. */
import type { Database } from "../../../platform/db/client.ts";

/** The workspaces of links, by the links' ids, which travel as one parameter. */
export async function findLinkWorkspaces(
  db: Database,
  ids: string[],
): Promise<Map<string, string>> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, workspace_id AS workspaceId FROM links
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(ids))
    .all<{ id: string; workspaceId: string }>();
  return new Map(results.map(({ id, workspaceId }) => [id, workspaceId]));
}

/** SQL of the stored hash of a link's password, by the SQL of the link's id; null when it has none. */
export function passwordHash(id: string): string {
  return `(SELECT links.password_hash FROM links WHERE links.id = ${id})`;
}
