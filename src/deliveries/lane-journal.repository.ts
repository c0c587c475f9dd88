import type { BegunAttempt, FinishedAttempt } from "./delivery-attempt.ts";

interface Row extends Record<string, SqlStorageValue> {
  attempt: string;
}

/** An object's statement takes 100 parameters, three a row. */
const ROWS_A_STATEMENT = 33;

/**
 * What a lane has under way, in its own SQLite: an attempt is written here before its POST leaves
 * (nothing leaves a Durable Object before what it wrote is on disk), and stays until the database
 * has it, or until it is taken back. So a lane that dies knows what it may have begun.
 */
export class LaneJournal {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS attempts (
         delivery_id TEXT PRIMARY KEY, attempt TEXT NOT NULL, is_over INTEGER NOT NULL DEFAULT 0
       ) WITHOUT ROWID`,
    );
  }

  /** Writes that some attempts are over and that others begin, all or none. */
  write(ended: FinishedAttempt[], begun: BegunAttempt[]): void {
    const rows = [
      ...ended.map((one) => [one, 1] as const),
      ...begun.map((one) => [one, 0] as const),
    ];
    if (rows.length === 0) return;
    this.#storage.transactionSync(() => {
      for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT)
        this.#put(rows.slice(at, at + ROWS_A_STATEMENT));
    });
  }

  /** Row by row: SQLite takes longer to read JSON of them than to write them. */
  #put(rows: (readonly [BegunAttempt | FinishedAttempt, 0 | 1])[]): void {
    this.#storage.sql.exec(
      `INSERT INTO attempts (delivery_id, attempt, is_over)
       VALUES ${Array(rows.length).fill("(?, ?, ?)").join(", ")}
       ON CONFLICT (delivery_id) DO UPDATE SET attempt = excluded.attempt, is_over = excluded.is_over`,
      ...rows.flatMap(([attempt, isOver]) => [attempt.id, JSON.stringify(attempt), isOver]),
    );
  }

  /** Forgets attempts that the database has now. */
  forget(attempts: { id: string }[]): void {
    if (attempts.length === 0) return;
    this.#storage.sql.exec(
      "DELETE FROM attempts WHERE delivery_id IN (SELECT value FROM json_each(?))",
      JSON.stringify(attempts.map(({ id }) => id)),
    );
  }

  /** What a lane that died had begun, or written ahead, and what it had not brought to the database yet. */
  left(): { begun: BegunAttempt[]; finished: FinishedAttempt[] } {
    const of = (isOver: 0 | 1) =>
      this.#storage.sql
        .exec<Row>("SELECT attempt FROM attempts WHERE is_over = ?", isOver)
        .toArray()
        .map(({ attempt }) => JSON.parse(attempt));
    return { begun: of(0), finished: of(1) };
  }
}
