import { firstNumber, type Row } from "./ledger-sql.repository.ts";

const TABLES = [
  `CREATE TABLE IF NOT EXISTS terms (
     id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, month INTEGER NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS terms_month ON terms (month)",
  `CREATE TABLE IF NOT EXISTS new_terms (
     day INTEGER PRIMARY KEY, invented INTEGER NOT NULL, known INTEGER NOT NULL)`,
];

/** Texts by their numbers, when each was used last, and how many were new on a day. */
export class TermStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const table of TABLES) sql.exec(table);
  }

  find(text: string): number | undefined {
    return firstNumber(this.#sql, "SELECT id AS number FROM terms WHERE text = ?", text);
  }

  last(): number {
    return firstNumber(this.#sql, "SELECT max(id) AS number FROM terms") ?? 0;
  }

  add(id: number, text: string, month: number): void {
    this.#sql.exec("INSERT INTO terms (id, text, month) VALUES (?, ?, ?)", id, text, month);
  }

  /** Says that a term was used in a month. */
  use(id: number, month: number): void {
    this.#sql.exec("UPDATE terms SET month = ?2 WHERE id = ?1 AND month < ?2", id, month);
  }

  texts(ids: number[]): Map<number, string> {
    const rows = this.#sql.exec<Row<{ id: number; text: string }>>(
      "SELECT terms.id, terms.text FROM json_each(?) AS wanted CROSS JOIN terms ON terms.id = wanted.value",
      JSON.stringify(ids),
    );
    return new Map(Array.from(rows, ({ id, text }) => [id, text]));
  }

  /** The longest ago that a term was used last. */
  firstMonth(): number | undefined {
    return firstNumber(this.#sql, "SELECT month AS number FROM terms ORDER BY month LIMIT 1");
  }

  /** Deletes up to `limit` terms that nothing has used since a month; how many it did. */
  purge(month: number, limit: number): number {
    return this.#sql.exec(
      "DELETE FROM terms WHERE id IN (SELECT id FROM terms WHERE month < ? LIMIT ?)",
      month,
      limit,
    ).rowsWritten;
  }

  newOn(day: number): { invented: number; known: number } | undefined {
    for (const row of this.#sql.exec<Row<{ invented: number; known: number }>>(
      "SELECT invented, known FROM new_terms WHERE day = ?",
      day,
    ))
      return row;
    return undefined;
  }

  putNewOn(day: number, { invented, known }: { invented: number; known: number }): void {
    this.#sql.exec("DELETE FROM new_terms WHERE day < ?", day);
    this.#sql.exec(
      `INSERT INTO new_terms (day, invented, known) VALUES (?1, ?2, ?3)
       ON CONFLICT (day) DO UPDATE SET invented = ?2, known = ?3`,
      day,
      invented,
      known,
    );
  }
}
