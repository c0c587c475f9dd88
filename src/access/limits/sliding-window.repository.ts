/** What a window says of one more request. */
export interface WindowState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds. Allowed: until one more place is free. Refused: until a request would pass. */
  waitSeconds: number;
}

const WINDOW_MILLISECONDS = 60_000;
/** Up to this limit requests are counted by the millisecond; above, by the second, in fewer rows. */
const EXACT_LIMIT = 1000;

/**
 * Counts the requests of the last minute in a Durable Object's own SQLite, so that counters
 * survive its eviction. A bucket counts until all of it is a minute old, so never more than
 * `limit` pass in any 60 seconds. A refused request is not counted.
 */
export class SlidingWindow {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS request_counts (
         subject TEXT NOT NULL, bucket INTEGER NOT NULL, free_at INTEGER NOT NULL,
         count INTEGER NOT NULL, PRIMARY KEY (subject, bucket)
       ) WITHOUT ROWID`,
    );
  }

  /** What the window says of one more request of `subject` at `now` (milliseconds); counts none. */
  peek(subject: string, limit: number, now: number): WindowState {
    const buckets = this.#sql
      .exec<{ free_at: number; count: number }>(
        "SELECT free_at, count FROM request_counts WHERE subject = ? AND free_at > ? AND count > 0 ORDER BY bucket",
        subject,
        now,
      )
      .toArray();
    const used = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    let toFree = Math.max(used - limit, 0) + 1;
    let freeAt = now;
    for (const bucket of buckets) {
      if (toFree <= 0) break;
      toFree -= bucket.count;
      freeAt = bucket.free_at;
    }
    return {
      allowed: used < limit,
      limit,
      remaining: Math.max(limit - used, 0),
      waitSeconds: Math.max(Math.ceil((freeAt - now) / 1000), 1),
    };
  }

  /** Counts one request of `subject`; answers the place where it counts, for {@link giveBack}. */
  count(subject: string, limit: number, now: number): number {
    const width = limit <= EXACT_LIMIT ? 1 : 1000;
    const bucket = Math.floor(now / width) * width;
    this.#sql.exec(
      `INSERT INTO request_counts (subject, bucket, free_at, count) VALUES (?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET count = count + 1`,
      subject,
      bucket,
      bucket + width - 1 + WINDOW_MILLISECONDS,
    );
    return bucket;
  }

  /** Counts one request of `subject` no longer. */
  giveBack(subject: string, place: number): void {
    this.#sql.exec(
      "UPDATE request_counts SET count = count - 1 WHERE subject = ? AND bucket = ? AND count > 0",
      subject,
      place,
    );
  }

  /** Forgets what no longer counts; returns whether anything is left. */
  prune(now: number): boolean {
    this.#sql.exec("DELETE FROM request_counts WHERE free_at <= ?", now);
    return this.#sql.exec("SELECT 1 FROM request_counts LIMIT 1").toArray().length > 0;
  }
}
