import type { HashSet } from "./ledger-hashes.ts";
import type { SubjectKind } from "./ledger-shapes.ts";

const TABLES = [
  `CREATE TABLE IF NOT EXISTS inbox (
     id INTEGER PRIMARY KEY, time INTEGER NOT NULL, packets TEXT NOT NULL)`,
  // Packets that were counted, as hashes, by when they were made: a row for each minute.
  "CREATE TABLE IF NOT EXISTS marks (time INTEGER PRIMARY KEY, hashes BLOB NOT NULL)",
  `CREATE TABLE IF NOT EXISTS terms (
     id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, month INTEGER NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS terms_month ON terms (month)",
  `CREATE TABLE IF NOT EXISTS new_terms (
     day INTEGER PRIMARY KEY, invented INTEGER NOT NULL, known INTEGER NOT NULL)`,
  // People's hits of each ever: of a link its clicks, of a page its views, and so on.
  `CREATE TABLE IF NOT EXISTS subjects (
     number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, people INTEGER NOT NULL,
     UNIQUE (kind, id))`,
  "CREATE TABLE IF NOT EXISTS counts (key INTEGER PRIMARY KEY, body BLOB NOT NULL)",
  "CREATE TABLE IF NOT EXISTS recent (minute INTEGER PRIMARY KEY, body BLOB NOT NULL)",
  "CREATE TABLE IF NOT EXISTS seen (key INTEGER PRIMARY KEY, hashes BLOB NOT NULL)",
  // Packets that could not be counted: for whoever mends that. None says who came.
  `CREATE TABLE IF NOT EXISTS faulted (
     id INTEGER PRIMARY KEY, time INTEGER NOT NULL, packet TEXT NOT NULL)`,
];

type Row<Of> = Of & Record<string, SqlStorageValue>;
type BodyTable = "counts" | "recent" | "seen" | "marks";

const FAULTED_KEPT = 1000;
/**
 * From here on a ledger (of 10 GB at most) keeps no combination that is finer than the country, and
 * takes no new texts.
 */
const FULL_BYTES = 7_000_000_000;

const BODIES: Record<BodyTable, { key: string; body: string }> = {
  counts: { key: "key", body: "body" },
  recent: { key: "minute", body: "body" },
  seen: { key: "key", body: "hashes" },
  marks: { key: "time", body: "hashes" },
};

/** A ledger's own SQLite. Bodies are bytes by one number, which says the day, the subject and the part. */
export class LedgerStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const table of TABLES) sql.exec(table);
  }

  get isFull(): boolean {
    return this.#sql.databaseSize > FULL_BYTES;
  }

  putPackets(json: string, time: number): void {
    this.#sql.exec("INSERT INTO inbox (time, packets) VALUES (?, ?)", time, json);
  }

  inbox(limit: number): { id: number; packets: string }[] {
    return this.#sql
      .exec<Row<{ id: number; packets: string }>>(
        "SELECT id, packets FROM inbox ORDER BY id LIMIT ?",
        limit,
      )
      .toArray();
  }

  /** Since when the oldest packets wait; undefined when none do. */
  waitingSince(): number | undefined {
    return this.#number("SELECT time AS number FROM inbox ORDER BY id LIMIT 1");
  }

  dropPackets(upTo: number): void {
    this.#sql.exec("DELETE FROM inbox WHERE id <= ?", upTo);
  }

  setAside(packet: string, time: number): void {
    this.#sql.exec("INSERT INTO faulted (time, packet) VALUES (?, ?)", time, packet);
    this.#sql.exec(
      "DELETE FROM faulted WHERE id <= (SELECT max(id) FROM faulted) - ?",
      FAULTED_KEPT,
    );
  }

  /** When the oldest packet was set aside. */
  firstSetAside(): number | undefined {
    return this.#number("SELECT time AS number FROM faulted ORDER BY id LIMIT 1");
  }

  /** There are few at any time, so they are looked through. */
  purgeSetAside(before: number): void {
    this.#sql.exec("DELETE FROM faulted WHERE time < ?", before);
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

  findTerm(text: string): number | undefined {
    return this.#number("SELECT id AS number FROM terms WHERE text = ?", text);
  }

  lastTerm(): number {
    return this.#number("SELECT max(id) AS number FROM terms") ?? 0;
  }

  addTerm(id: number, text: string, month: number): void {
    this.#sql.exec("INSERT INTO terms (id, text, month) VALUES (?, ?, ?)", id, text, month);
  }

  /** Says that a term was used in a month. */
  useTerm(id: number, month: number): void {
    this.#sql.exec("UPDATE terms SET month = ?2 WHERE id = ?1 AND month < ?2", id, month);
  }

  texts(ids: number[]): Map<number, string> {
    const rows = this.#sql.exec<Row<{ id: number; text: string }>>(
      "SELECT terms.id, terms.text FROM json_each(?) AS wanted CROSS JOIN terms ON terms.id = wanted.value",
      JSON.stringify(ids),
    );
    return new Map(Array.from(rows, ({ id, text }) => [id, text]));
  }

  newTerms(day: number): { invented: number; known: number } | undefined {
    for (const row of this.#sql.exec<Row<{ invented: number; known: number }>>(
      "SELECT invented, known FROM new_terms WHERE day = ?",
      day,
    ))
      return row;
    return undefined;
  }

  putNewTerms(day: number, { invented, known }: { invented: number; known: number }): void {
    this.#sql.exec("DELETE FROM new_terms WHERE day < ?", day);
    this.#sql.exec(
      `INSERT INTO new_terms (day, invented, known) VALUES (?1, ?2, ?3)
       ON CONFLICT (day) DO UPDATE SET invented = ?2, known = ?3`,
      day,
      invented,
      known,
    );
  }

  findSubject(kind: SubjectKind, id: string): number | undefined {
    return this.#number("SELECT number FROM subjects WHERE kind = ? AND id = ?", kind, id);
  }

  addSubject(kind: SubjectKind, id: string, first: number): number {
    return (
      this.#number(
        `INSERT INTO subjects (number, kind, id, people)
         VALUES ((SELECT max(coalesce(max(number), 0) + 1, ?3) FROM subjects), ?1, ?2, 0)
         RETURNING number`,
        kind,
        id,
        first,
      ) ?? 0
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
    return this.#number(
      `SELECT ${key} AS number FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1`,
      from,
    );
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

  /** Deletes up to `limit` terms that nothing has used since a month; how many it did. */
  purgeTerms(month: number, limit: number): number {
    return this.#sql.exec(
      "DELETE FROM terms WHERE id IN (SELECT id FROM terms WHERE month < ? LIMIT ?)",
      month,
      limit,
    ).rowsWritten;
  }

  putHashes(table: "seen" | "marks", at: number, hashes: HashSet): void {
    this.putBody(table, at, hashes.write());
  }

  #number(sql: string, ...parameters: (string | number)[]): number | undefined {
    for (const row of this.#sql.exec<Row<{ number: number }>>(sql, ...parameters))
      return row.number;
    return undefined;
  }
}
