import { firstNumber, type Row } from "./ledger-sql.repository.ts";

/** Of before 2026-11-23, when rows were written otherwise: a rollback finds nothing in it that it cannot read. */
const FORMER = "inbox";
/** Likewise of packets of version 4, by 2026-11-24: code of before passes them by. */
const NEWER = "waiting_4";
const WAITING = [FORMER, "waiting", NEWER];
const TABLES = [
  ...WAITING.map(
    (table) => `CREATE TABLE IF NOT EXISTS ${table} (
     id INTEGER PRIMARY KEY, time INTEGER NOT NULL, packets TEXT NOT NULL)`,
  ),
  // Packets that could not be counted: until that is mended. None says who came.
  `CREATE TABLE IF NOT EXISTS faulted (
     id INTEGER PRIMARY KEY, time INTEGER NOT NULL, packet TEXT NOT NULL)`,
];

type WaitingRow = Row<{ id: number; time: number; packets: string }>;

const FAULTED_KEPT = 1000;

/** What waits to be counted, and what could not be. */
export class LedgerInbox {
  readonly #sql: SqlStorage;
  #hasFormer: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const table of TABLES) sql.exec(table);
    this.#hasFormer = this.#firstTime(FORMER) !== undefined;
  }

  /** Whether the oldest rows were written before 2026-11-23. */
  get isFormer(): boolean {
    this.#hasFormer &&= this.#firstTime(FORMER) !== undefined;
    return this.#hasFormer;
  }

  put(packets: string, time: number, isNewer = false): void {
    const table = isNewer ? NEWER : "waiting";
    this.#sql.exec(`INSERT INTO ${table} (time, packets) VALUES (?, ?)`, time, packets);
  }

  /** The oldest rows of the table of which the oldest waits longest; each is read when it is asked for. */
  *rows(limit: number): Generator<WaitingRow> {
    const table = this.#table;
    for (let [read, after] = [0, Number.MIN_SAFE_INTEGER]; read < limit; read++) {
      const [row] = this.#sql.exec<WaitingRow>(
        `SELECT id, time, packets FROM ${table} WHERE id > ? ORDER BY id LIMIT 1`,
        after,
      );
      if (!row) return;
      yield row;
      after = row.id;
    }
  }

  /** Since when the oldest packets wait; undefined when none do. */
  waitingSince(): number | undefined {
    const times = WAITING.flatMap((table) => this.#firstTime(table) ?? []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Deletes what {@link rows} gave, up to an id. */
  drop(upTo: number): void {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE id <= ?`, upTo);
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
    return firstNumber(this.#sql, "SELECT time AS number FROM faulted ORDER BY id LIMIT 1");
  }

  /** The next of those that were set aside by a time, and can be read. */
  nextSetAside(after: number, by: number): { id: number; packet: string } | undefined {
    for (const row of this.#sql.exec<Row<{ id: number; packet: string }>>(
      `SELECT id, packet FROM faulted
       WHERE id > ? AND time <= ? AND instr(packet, char(10)) > 0 ORDER BY id LIMIT 1`,
      after,
      by,
    ))
      return row;
    return undefined;
  }

  dropSetAside(id: number): void {
    this.#sql.exec("DELETE FROM faulted WHERE id = ?", id);
  }

  /** There are few at any time, so they are looked through. */
  purgeSetAside(before: number): void {
    this.#sql.exec("DELETE FROM faulted WHERE time < ?", before);
  }

  get #table(): string {
    if (this.isFormer) return FORMER;
    const [other, newer] = [this.#firstTime("waiting"), this.#firstTime(NEWER)];
    // The older first: however much comes of one kind, the other has its turn.
    const isNewer = newer !== undefined && (other === undefined || newer < other);
    return isNewer ? NEWER : "waiting";
  }

  #firstTime(table: string): number | undefined {
    return firstNumber(this.#sql, `SELECT time AS number FROM ${table} ORDER BY id LIMIT 1`);
  }
}
