import type { HashSet } from "./ledger-hashes.ts";
import { LedgerInbox } from "./ledger-inbox.repository.ts";
import type { SubjectKind } from "./ledger-shapes.ts";
import { firstNumber, type Row } from "./ledger-sql.repository.ts";
import { TermStore } from "./ledger-terms.repository.ts";

const TABLES = [
  // Packets that were counted, as hashes, by when they were made: a row for each minute.
  "CREATE TABLE IF NOT EXISTS marks (time INTEGER PRIMARY KEY, hashes BLOB NOT NULL)",
  // People's hits of each ever: of a link its clicks, of a page its views, and so on.
  `CREATE TABLE IF NOT EXISTS subjects (
     number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, people INTEGER NOT NULL,
     UNIQUE (kind, id))`,
  "CREATE TABLE IF NOT EXISTS counts (key INTEGER PRIMARY KEY, body BLOB NOT NULL)",
  "CREATE TABLE IF NOT EXISTS recent (minute INTEGER PRIMARY KEY, body BLOB NOT NULL)",
  // Scans by QR code, of hours that are still to be told of.
  "CREATE TABLE IF NOT EXISTS scans (hour INTEGER PRIMARY KEY, body BLOB NOT NULL)",
  "CREATE TABLE IF NOT EXISTS seen (key INTEGER PRIMARY KEY, hashes BLOB NOT NULL)",
];

type BodyTable = "counts" | "recent" | "scans" | "seen" | "marks";

/**
 * From here on a ledger (of 10 GB at most) keeps no combination that is finer than the country, and
 * takes no new texts.
 */
const FULL_BYTES = 7_000_000_000;

const BODIES: Record<BodyTable, { key: string; body: string }> = {
  counts: { key: "key", body: "body" },
  recent: { key: "minute", body: "body" },
  scans: { key: "hour", body: "body" },
  seen: { key: "key", body: "hashes" },
  marks: { key: "time", body: "hashes" },
};

/** A ledger's own SQLite. Bodies are bytes by one number, which says the day, the subject and the part. */
export class LedgerStore {
  readonly inbox: LedgerInbox;
  readonly terms: TermStore;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const table of TABLES) sql.exec(table);
    this.inbox = new LedgerInbox(sql);
    this.terms = new TermStore(sql);
  }

  /** In bytes. */
  get size(): number {
    return this.#sql.databaseSize;
  }

  get isFull(): boolean {
    return this.size > FULL_BYTES;
  }

  body(table: BodyTable, at: number): Uint8Array | undefined {
    const { key, body } = BODIES[table];
    const sql = `SELECT ${body} AS body FROM ${table} WHERE ${key} = ?`;
    for (const row of this.#sql.exec<Row<{ body: ArrayBuffer }>>(sql, at))
      return new Uint8Array(row.body);
    return undefined;
  }

  putBody(table: BodyTable, at: number, bytes: Uint8Array): void {
    const { key, body } = BODIES[table];
    this.#sql.exec(
      `INSERT INTO ${table} (${key}, ${body}) VALUES (?1, ?2)
       ON CONFLICT (${key}) DO UPDATE SET ${body} = ?2`,
      at,
      bytes,
    );
  }

  /** Bodies by their keys, those that there are, in no order. */
  counts(keys: number[]): Generator<{ key: number; body: Uint8Array }> {
    return this.#bodies(
      `SELECT counts.key, counts.body FROM json_each(?) AS wanted
       CROSS JOIN counts ON counts.key = wanted.value`,
      JSON.stringify(keys),
    );
  }

  /** Bodies of one part from a key up to another; `unit`: what a key's part is the rest of. */
  countsBetween(
    from: number,
    before: number,
    { unit, part }: { unit: number; part: number },
  ): Generator<{ key: number; body: Uint8Array }> {
    return this.#bodies(
      "SELECT key, body FROM counts WHERE key >= ? AND key < ? AND key % ? = ?",
      from,
      before,
      unit,
      part,
    );
  }

  // Raw, since a question reads thousands: an object for each would be most of the work.
  *#bodies(
    sql: string,
    ...parameters: (string | number)[]
  ): Generator<{ key: number; body: Uint8Array }> {
    for (const [key, body] of this.#sql.exec(sql, ...parameters).raw<[number, ArrayBuffer]>())
      yield { key, body: new Uint8Array(body) };
  }

  findSubject(kind: SubjectKind, id: string): number | undefined {
    return firstNumber(
      this.#sql,
      "SELECT number FROM subjects WHERE kind = ? AND id = ?",
      kind,
      id,
    );
  }

  /** The greatest number of a subject. */
  lastSubject(): number | undefined {
    return firstNumber(this.#sql, "SELECT max(number) AS number FROM subjects") ?? undefined;
  }

  addSubject(kind: SubjectKind, id: string, number: number): void {
    this.#sql.exec(
      "INSERT INTO subjects (number, kind, id, people) VALUES (?3, ?1, ?2, 0)",
      kind,
      id,
      number,
    );
  }

  addPeople(number: number, hits: number): void {
    this.#sql.exec("UPDATE subjects SET people = people + ?2 WHERE number = ?1", number, hits);
  }

  people(kind: SubjectKind, ids: string[]): { id: string; people: number }[] {
    return this.#sql
      .exec<Row<{ id: string; people: number }>>(
        `SELECT subjects.id, subjects.people FROM json_each(?2) AS wanted
         CROSS JOIN subjects ON subjects.kind = ?1 AND subjects.id = wanted.value`,
        kind,
        JSON.stringify(ids),
      )
      .toArray();
  }

  subjects(numbers: number[]): Map<number, { kind: SubjectKind; id: string }> {
    const rows = this.#sql.exec<Row<{ number: number; kind: SubjectKind; id: string }>>(
      `SELECT subjects.number, subjects.kind, subjects.id FROM json_each(?) AS wanted
       CROSS JOIN subjects ON subjects.number = wanted.value`,
      JSON.stringify(numbers),
    );
    return new Map(Array.from(rows, ({ number, kind, id }) => [number, { kind, id }]));
  }

  /** The least key of a table that has any. */
  firstKey(table: BodyTable, from = 0): number | undefined {
    const { key } = BODIES[table];
    return firstNumber(
      this.#sql,
      `SELECT ${key} AS number FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1`,
      from,
    );
  }

  /** The greatest. */
  lastKey(table: BodyTable): number | undefined {
    const { key } = BODIES[table];
    return firstNumber(this.#sql, `SELECT max(${key}) AS number FROM ${table}`) ?? undefined;
  }

  /** Deletes up to `limit` rows with keys from one up to another; how many it did. */
  purge(
    table: BodyTable,
    { from = 0, before, limit }: { from?: number; before: number; limit: number },
  ): number {
    const { key } = BODIES[table];
    return this.#sql.exec(
      `DELETE FROM ${table} WHERE ${key} IN (
         SELECT ${key} FROM ${table} WHERE ${key} >= ? AND ${key} < ? ORDER BY ${key} LIMIT ?)`,
      from,
      before,
      limit,
    ).rowsWritten;
  }

  putHashes(table: "seen" | "marks", at: number, hashes: HashSet): void {
    this.putBody(table, at, hashes.write());
  }
}
