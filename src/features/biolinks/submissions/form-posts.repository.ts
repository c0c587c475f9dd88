/** What was sent with one form within an hour, in its Durable Object's own SQLite: by whom, hashed. */
export class CountedPosts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS posts (
         address TEXT NOT NULL, network TEXT NOT NULL, at INTEGER NOT NULL);
       CREATE INDEX IF NOT EXISTS posts_address ON posts (address, at);
       CREATE INDEX IF NOT EXISTS posts_network ON posts (network, at);
       CREATE INDEX IF NOT EXISTS posts_at ON posts (at)`,
    );
  }

  /** When an address, or a network, sent something after a time, oldest first. */
  of(what: "address" | "network", who: string, after: number): number[] {
    const sent = this.#sql.exec<{ at: number }>(
      `SELECT at FROM posts WHERE ${what} = ? AND at > ? ORDER BY at`,
      who,
      after,
    );
    return sent.toArray().map(({ at }) => at);
  }

  add(address: string, network: string, at: number): void {
    this.#sql.exec(
      "INSERT INTO posts (address, network, at) VALUES (?, ?, ?)",
      address,
      network,
      at,
    );
  }

  /** Forgets what was sent until a time; when the oldest of the rest was, if any is left. */
  forget(until: number): number | undefined {
    this.#sql.exec("DELETE FROM posts WHERE at <= ?", until);
    const { at } = this.#sql.exec<{ at: number | null }>("SELECT min(at) AS at FROM posts").one();
    return at ?? undefined;
  }
}
