import { MAX_ANSWER_BYTES } from "./sealed-response.ts";

/** Of one workspace. Beyond it the oldest answers are let go. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Answers kept for a replay, in a Durable Object's own SQLite. Each is known by where it ends if
 * all are laid end to end as they come: so what is kept is the last stretch, and how much that is
 * shows without looking at all of them.
 */
export class KeptAnswers {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS kept_answers (answer_end INTEGER PRIMARY KEY, response BLOB NOT NULL)",
    );
  }

  /** Where the answer ends, for {@link find}; null: there is none, or it is too large to be kept. */
  keep(response: Uint8Array | null, now: number): number | null {
    if (!response || response.byteLength > MAX_ANSWER_BYTES) return null;
    const newest = "SELECT max(answer_end) AS at FROM kept_answers";
    const { at } = this.#sql.exec<{ at: number | null }>(newest).one();
    // The first begins where none ended, however many were forgotten: a day has fewer bytes.
    const end = (at ?? now * 1000) + response.byteLength;
    this.#sql.exec("INSERT INTO kept_answers VALUES (?, ?)", end, response);
    // One that ends in the stretch to keep may begin before it.
    const keptFrom = end - MAX_KEPT_BYTES + MAX_ANSWER_BYTES;
    this.#sql.exec("DELETE FROM kept_answers WHERE answer_end < ?", keptFrom);
    return end;
  }

  /** Undefined: it was never kept, or let go since. */
  find(end: number | null): ArrayBuffer | undefined {
    const sql = "SELECT response FROM kept_answers WHERE answer_end = ?";
    return this.#sql.exec<{ response: ArrayBuffer }>(sql, end).toArray()[0]?.response;
  }

  forget(end: number | null): void {
    if (end === null) return;
    this.#sql.exec("DELETE FROM kept_answers WHERE answer_end = ?", end);
  }
}
