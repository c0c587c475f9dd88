import journal from "../../../migrations/meta/_journal.json";
import type { Database } from "./client.ts";

/** The newest migration that this build was made with, as wrangler notes it. */
export const NEWEST_MIGRATION = `${journal.entries.at(-1)?.tag}.sql`;

/** The statement that answers a row if the database has had the newest migration. */
export function newestMigration(db: Database): D1PreparedStatement {
  return db.$client
    .prepare("SELECT name FROM d1_migrations WHERE name = ?1")
    .bind(NEWEST_MIGRATION);
}
