/** A day of a ledger that is filled, for `npm run bench:analytics`. */
export interface Filling {
  /** Milliseconds at which the day (UTC) begins. */
  day: number;
  events: number;
  links: number;
  /** In how many compactions. */
  parts: number;
  /** Each with a referrer and utm values that nobody has used before. */
  isFlood?: boolean;
}

/** Days (UTC, since the epoch) whose bodies are copied to so many days before them. */
export interface Copying {
  first: number;
  days: number;
  before: number;
}

/** What a question took. */
export interface Asked {
  rows: number;
  /** Of the first metric, in all rows. */
  total: number;
  /** Of the ledger's own SQLite. */
  rowsRead: number;
}
