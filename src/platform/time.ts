/** The one clock of the Worker: milliseconds since the epoch. Tests set it through `Date`. */
export function now(): number {
  return Date.now();
}

/** RFC 3339 in UTC with milliseconds, as every time in the API. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
