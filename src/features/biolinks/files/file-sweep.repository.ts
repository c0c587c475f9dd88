import type { Database } from "../../../platform/db/client.ts";

/**
 * Claims for removal those of the contents that no workspace has; which these are. As long as the
 * claim stands nobody gets a file of such a content.
 */
export async function claimOrphans(
  db: Database,
  contents: string[],
  time: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `INSERT INTO file_removals (sha256, claimed_at)
       SELECT content.value, ?2 FROM json_each(?1) AS content
       WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.sha256 = content.value)
       ON CONFLICT (sha256) DO NOTHING RETURNING sha256`,
    )
    .bind(JSON.stringify(contents), time)
    .all<{ sha256: string }>();
  return results.map(({ sha256 }) => sha256);
}

/** Takes over claims of before a time, whose work was cut off. */
export async function takeOverClaims(
  db: Database,
  before: number,
  time: number,
  limit: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `UPDATE file_removals SET claimed_at = ?2 WHERE sha256 IN (
         SELECT sha256 FROM file_removals WHERE claimed_at < ?1 ORDER BY claimed_at LIMIT ?3)
       RETURNING sha256`,
    )
    .bind(before, time, limit)
    .all<{ sha256: string }>();
  return results.map(({ sha256 }) => sha256);
}

/** Gives up claims: the contents are gone from R2. */
export async function releaseClaims(db: Database, contents: string[]): Promise<void> {
  await db.$client
    .prepare("DELETE FROM file_removals WHERE sha256 IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(contents))
    .run();
}
