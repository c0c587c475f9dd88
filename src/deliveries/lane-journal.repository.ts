import type { BegunAttempt, FinishedAttempt } from "./delivery-attempt.ts";

interface Row extends Record<string, SqlStorageValue> {
  attempt: string;
}

/**
 * What a lane has under way, in its own SQLite: an attempt is written here before its POST leaves
 * (nothing leaves a Durable Object before what it wrote is on disk), and stays until the database
 * has it. So a lane that dies knows what it had begun.
 */
export class LaneJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS attempts (
         delivery_id TEXT PRIMARY KEY, attempt TEXT NOT NULL, is_over INTEGER NOT NULL DEFAULT 0
       ) WITHOUT ROWID`,
    );
  }

  begin(attempts: BegunAttempt[]): void {
    if (attempts.length === 0) return;
    this.#sql.exec(
      `INSERT INTO attempts (delivery_id, attempt)
       SELECT value ->> 'id', value FROM json_each(?)`,
      JSON.stringify(attempts),
    );
  }

  end(attempts: FinishedAttempt[]): void {
    if (attempts.length === 0) return;
    this.#sql.exec(
      `UPDATE attempts SET attempt = ended.value, is_over = 1
       FROM json_each(?) AS ended WHERE delivery_id = ended.value ->> 'id'`,
      JSON.stringify(attempts),
    );
  }

  /** Forgets attempts that the database has now. */
  forget(attempts: { id: string }[]): void {
    if (attempts.length === 0) return;
    this.#sql.exec(
      "DELETE FROM attempts WHERE delivery_id IN (SELECT value FROM json_each(?))",
      JSON.stringify(attempts.map(({ id }) => id)),
    );
  }

  /** What a lane that died had begun, and what it had not brought to the database yet. */
  left(): { begun: BegunAttempt[]; finished: FinishedAttempt[] } {
    const of = (isOver: 0 | 1) =>
      this.#sql
        .exec<Row>("SELECT attempt FROM attempts WHERE is_over = ?", isOver)
        .toArray()
        .map(({ attempt }) => JSON.parse(attempt));
    return { begun: of(0), finished: of(1) };
  }
}
