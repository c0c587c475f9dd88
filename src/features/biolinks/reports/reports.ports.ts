/** What others need of visitors' reports. */
import type { Database } from "../../../platform/db/client.ts";

/** The statement that counts the open ones of all workspaces, `n`, up to `most`. */
export function openReportCount(db: Database, most: number): D1PreparedStatement {
  return db.$client
    .prepare("SELECT count(*) AS n FROM (SELECT 1 FROM reports WHERE status = 'open' LIMIT ?1)")
    .bind(most);
}
