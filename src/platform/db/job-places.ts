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
