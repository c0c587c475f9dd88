import { type Budget, COUNTED_FAILURES, LINK_TRIES, refill } from "./password-budget.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Whose tries count together: an address, and the network that it can take others from. */
export interface Origin {
  address: string;
  network: string;
}

/** What is known of an origin when it tries once more. */
export interface Tried {
  /** When it tried in the last minute, oldest first. */
  ofAddress: number[];
  ofNetwork: number[];
  /** How often its network failed in the last hour; no more are counted than matter. */
  failures: number;
}

/** One link's tries in its Durable Object's own SQLite: an hour of those that failed, else a minute. */
export class PasswordTries {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS tries (
         id INTEGER PRIMARY KEY, address TEXT NOT NULL, network TEXT NOT NULL,
         at INTEGER NOT NULL, is_right INTEGER NOT NULL DEFAULT 0);
       CREATE INDEX IF NOT EXISTS tries_network ON tries (network, is_right, at);
       CREATE TABLE IF NOT EXISTS budget (
         id INTEGER PRIMARY KEY CHECK (id = 1), left INTEGER NOT NULL, at INTEGER NOT NULL)`,
    );
  }

  tried({ address, network }: Origin, now: number): Tried {
    const recent = this.#sql
      .exec<{ address: string; at: number }>(
        "SELECT address, at FROM tries WHERE network = ? AND is_right IN (0, 1) AND at > ? ORDER BY at",
        network,
        now - MINUTE,
      )
      .toArray();
    const failed = this.#sql
      .exec(
        "SELECT 1 FROM tries WHERE network = ? AND is_right = 0 AND at > ? LIMIT ?",
        network,
        now - HOUR,
        COUNTED_FAILURES,
      )
      .toArray();
    const ofAddress = recent.filter((one) => one.address === address).map(({ at }) => at);
    return { ofAddress, ofNetwork: recent.map(({ at }) => at), failures: failed.length };
  }

  /** Notes a try, as one that failed until it is said to be right; its id. */
  add({ address, network }: Origin, now: number): number {
    return this.#sql
      .exec<{ id: number }>(
        "INSERT INTO tries (address, network, at) VALUES (?, ?, ?) RETURNING id",
        address,
        network,
        now,
      )
      .one().id;
  }

  /** Whether there was such a try, and it was not known to be right. */
  markRight(id: number): boolean {
    const marked = this.#sql.exec(
      "UPDATE tries SET is_right = 1 WHERE id = ? AND is_right = 0 RETURNING id",
      id,
    );
    return marked.toArray().length > 0;
  }

  budget(now: number): Budget {
    const [held] = this.#sql
      .exec<{ left: number; at: number }>("SELECT left, at FROM budget")
      .toArray();
    return held ? refill(held, now) : { left: LINK_TRIES, at: now };
  }

  setBudget({ left, at }: Budget): void {
    this.#sql.exec("INSERT OR REPLACE INTO budget (id, left, at) VALUES (1, ?, ?)", left, at);
  }

  /** Forgets what no longer counts. When to look again; undefined: nothing is left that counts. */
  forget(now: number): number | undefined {
    this.#sql.exec(
      "DELETE FROM tries WHERE at <= ? OR (is_right = 1 AND at <= ?)",
      now - HOUR,
      now - MINUTE,
    );
    const newest = this.#sql
      .exec<{ at: number | null }>("SELECT max(at) AS at FROM tries")
      .one().at;
    if (newest === null) return undefined;
    return newest > now - MINUTE ? now + 2 * MINUTE : newest + HOUR;
  }
}
