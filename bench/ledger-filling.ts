/** A day of a ledger that is filled, for `npm run bench:analytics`. */
export interface Filling {
  /** Milliseconds at which the day (UTC) begins. */
  day: number;
  events: number;
  links: number;
  /** In how many compactions. */
  parts: number;
}
