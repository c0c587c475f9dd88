import type { Row } from "./ledger-sql.repository.ts";

/** By shard first: its number is its id's upper part. */
const TABLE = `CREATE TABLE IF NOT EXISTS handed (
  id INTEGER PRIMARY KEY, time INTEGER NOT NULL, is_newer INTEGER NOT NULL, packets TEXT NOT NULL)`;
const SHARD_UNIT = 2 ** 40;

/** Parts of packets. */
interface HandedRow {
  id: number;
  /** When the packets came. */
  time: number;
  /** Whether they are of products. */
  isNewer: boolean;
  packets: string;
}

/** Parts of packets on their way from a ledger that has split to its shards. */
export class HandedParts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Call once, where a ledger splits, outside a transaction: one that is undone takes the table along.
   * A ledger that did not split has no such table.
   */
  begin(): void {
    this.#sql.exec(TABLE);
  }

  put(shard: number, { packets, isNewer, time }: Omit<HandedRow, "id">): void {
    this.#sql.exec(
      `INSERT INTO handed (id, time, is_newer, packets) VALUES (
         coalesce((SELECT id + 1 FROM handed WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT 1), ?1),
         ?3, ?4, ?5)`,
      shard * SHARD_UNIT,
      (shard + 1) * SHARD_UNIT,
      time,
      isNewer ? 1 : 0,
      packets,
    );
  }

  /** The oldest of a shard. */
  rows(shard: number, limit: number): HandedRow[] {
    const rows = this.#sql.exec<
      Row<{ id: number; time: number; is_newer: number; packets: string }>
    >(
      `SELECT id, time, is_newer, packets FROM handed WHERE id >= ? AND id < ? ORDER BY id LIMIT ?`,
      shard * SHARD_UNIT,
      (shard + 1) * SHARD_UNIT,
      limit,
    );
    return Array.from(rows, ({ id, time, is_newer, packets }) => ({
      id,
      time,
      isNewer: is_newer === 1,
      packets,
    }));
  }

  drop(ids: number[]): void {
    this.#sql.exec(
      "DELETE FROM handed WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
  }

  /** The shards that parts wait for, and since when. */
  waiting(): { shard: number; since: number }[] {
    const found: { shard: number; since: number }[] = [];
    for (let shard = 0; ; shard++) {
      const [first] = this.#sql.exec<Row<{ id: number; time: number }>>(
        "SELECT id, time FROM handed WHERE id >= ? ORDER BY id LIMIT 1",
        shard * SHARD_UNIT,
      );
      if (!first) return found;
      shard = Math.floor(first.id / SHARD_UNIT);
      found.push({ shard, since: first.time });
    }
  }
}
