/** What features whose targets are delivered to write of how those behave. */
import type { Database } from "../platform/db/client.ts";
import { conductOf } from "./ended-attempts.ts";
import type { EndedAttempt } from "./targets.ts";

/** Since when a target fails, in the `failing_since` of its feature's table. */
export function noteConduct(
  db: Database,
  table: string,
  { workspaceId, id }: { workspaceId: string; id: string },
  ended: EndedAttempt[],
  now: number,
): D1PreparedStatement[] {
  const conduct = conductOf(ended);
  if (conduct === "unknown") return [];
  const change =
    conduct === "well"
      ? "SET failing_since = NULL WHERE id = ?1 AND workspace_id = ?2 AND failing_since < ?3"
      : "SET failing_since = ?3 WHERE id = ?1 AND workspace_id = ?2 AND failing_since IS NULL";
  return [db.$client.prepare(`UPDATE ${table} ${change}`).bind(id, workspaceId, now)];
}
