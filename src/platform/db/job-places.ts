import type { Database } from "./client.ts";

/** The last record that a job looked at; empty: it begins. */
export async function findJobPlace(db: Database, job: string): Promise<string> {
  const found = await db.$client
    .prepare("SELECT place FROM job_places WHERE job = ?")
    .bind(job)
    .first<{ place: string }>();
  return found?.place ?? "";
}

/** The statement that says how far a job has come, for a batch with what it did. */
export function jobPlaceSaving(db: Database, job: string, place: string): D1PreparedStatement {
  return db.$client
    .prepare(
      "INSERT INTO job_places (job, place) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET place = ?2",
    )
    .bind(job, place);
}

/** Says how far a job has come if it is still where it was seen: of several at once, one may. */
export async function moveJobPlace(
  db: Database,
  job: string,
  from: string,
  to: string,
): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `INSERT INTO job_places (job, place) VALUES (?1, ?3)
       ON CONFLICT DO UPDATE SET place = ?3 WHERE place = ?2`,
    )
    .bind(job, from, to)
    .run();
  return meta.changes === 1;
}
