/** What a window says of one more request. */
export interface WindowState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds. Allowed: until one more place is free. Refused: until a request would pass. */
  waitSeconds: number;
}

const WINDOW_MILLISECONDS = 60_000;
/** Up to this limit requests are counted by the millisecond; above, by the second, in less space. */
const EXACT_LIMIT = 1000;

/** The requests of one time: when it began, when they no longer count, how many. */
type Bucket = [at: number, freeAt: number, count: number];

interface Counts {
  /** Oldest first. */
  buckets: Bucket[];
  used: number;
}

/**
 * Counts the requests of the last minute in memory, and keeps them in a Durable Object's own
 * SQLite, a row for each subject, so that they survive its eviction. A bucket counts until all of
 * it is a minute old, so never more than `limit` pass in any 60 seconds. A refused request is not
 * counted.
 */
export class SlidingWindow {
  readonly #sql: SqlStorage;
  readonly #deferred: boolean;
  readonly #subjects = new Map<string, Counts>();
  readonly #unsaved = new Set<string>();

  /** `deferred`: what is counted is in storage after {@link persist} only, else at once. */
  constructor(sql: SqlStorage, { deferred = false } = {}) {
    this.#sql = sql;
    this.#deferred = deferred;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS window_counts (
         subject TEXT PRIMARY KEY, buckets TEXT NOT NULL, free_at INTEGER NOT NULL
       ) WITHOUT ROWID`,
    );
    takeOverRowsPerBucket(sql);
  }

  /**
   * What the window says of one more request of `subject` at `now` (milliseconds); counts none.
   * `weight`: as many as so many, or as all of the limit if that is less.
   */
  peek(subject: string, limit: number, now: number, weight = 1): WindowState {
    const { buckets, used } = this.#countsOf(subject, now);
    const fits = limit - Math.min(weight, limit);
    let toFree = used <= fits ? 1 : used - fits;
    let freeAt = now;
    for (const [, bucketFreeAt, count] of buckets) {
      if (toFree <= 0) break;
      toFree -= count;
      freeAt = bucketFreeAt;
    }
    return {
      allowed: used <= fits,
      limit,
      remaining: Math.max(limit - used, 0),
      waitSeconds: Math.max(Math.ceil((freeAt - now) / 1000), 1),
    };
  }

  /** Counts a request of `subject`, as many if it weighs more than one; answers the place where it counts, for {@link giveBack}. */
  count(subject: string, limit: number, now: number, weight = 1): number {
    const width = limit <= EXACT_LIMIT ? 1 : 1000;
    const place = Math.floor(now / width) * width;
    const counts = this.#countsOf(subject, now);
    const before = counts.buckets.findLastIndex(([at]) => at <= place);
    const known = counts.buckets[before];
    if (known?.[0] === place) known[2] += weight;
    else {
      const freeAt = place + width - 1 + WINDOW_MILLISECONDS;
      counts.buckets.splice(before + 1, 0, [place, freeAt, weight]);
    }
    counts.used += weight;
    this.#changed(subject);
    return place;
  }

  /** Counts one request of `subject` no longer. */
  giveBack(subject: string, place: number, now: number): void {
    const counts = this.#countsOf(subject, now);
    const index = counts.buckets.findIndex(([at]) => at === place);
    const bucket = counts.buckets[index];
    if (!bucket) return;
    counts.used--;
    bucket[2]--;
    if (bucket[2] === 0) counts.buckets.splice(index, 1);
    this.#changed(subject);
  }

  /** Writes what was counted since the last time: a row for each subject. */
  persist(): void {
    for (const subject of this.#unsaved) {
      const buckets = this.#subjects.get(subject)?.buckets ?? [];
      this.#sql.exec(
        `INSERT INTO window_counts (subject, buckets, free_at) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET buckets = ?2, free_at = ?3`,
        subject,
        JSON.stringify(buckets),
        buckets.at(-1)?.[1] ?? 0,
      );
    }
    this.#unsaved.clear();
  }

  /** Forgets what no longer counts; returns whether anything is left. */
  prune(now: number): boolean {
    this.persist();
    for (const subject of this.#subjects.keys()) {
      if (this.#countsOf(subject, now).used === 0) this.#subjects.delete(subject);
    }
    this.#sql.exec("DELETE FROM window_counts WHERE free_at <= ?", now);
    return this.#sql.exec("SELECT 1 FROM window_counts LIMIT 1").toArray().length > 0;
  }

  #changed(subject: string): void {
    this.#unsaved.add(subject);
    if (!this.#deferred) this.persist();
  }

  /** The counts of a subject without those that are free at `now`. */
  #countsOf(subject: string, now: number): Counts {
    let counts = this.#subjects.get(subject);
    if (!counts) {
      const buckets = this.#read(subject);
      counts = { buckets, used: buckets.reduce((sum, [, , count]) => sum + count, 0) };
      this.#subjects.set(subject, counts);
    }
    const held = counts.buckets.findIndex(([, freeAt]) => freeAt > now);
    const free = counts.buckets.splice(0, held === -1 ? counts.buckets.length : held);
    for (const [, , count] of free) counts.used -= count;
    return counts;
  }

  #read(subject: string): Bucket[] {
    const sql = "SELECT buckets FROM window_counts WHERE subject = ?";
    const [row] = this.#sql.exec<{ buckets: string }>(sql, subject).toArray();
    return row ? (JSON.parse(row.buckets) as Bucket[]) : [];
  }
}

/** Before 2026-11-22 each bucket was a row: a deployed object's counts go on counting. */
function takeOverRowsPerBucket(sql: SqlStorage): void {
  const old = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'request_counts'";
  if (sql.exec(old).toArray().length === 0) return;
  sql.exec(
    `INSERT OR IGNORE INTO window_counts (subject, buckets, free_at)
     SELECT subject, json_group_array(json_array(bucket, free_at, count) ORDER BY bucket), max(free_at)
     FROM request_counts WHERE count > 0 GROUP BY subject`,
  );
  sql.exec("DROP TABLE request_counts");
}
