export const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Days since the epoch, UTC. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MILLISECONDS);
}

/** What KV has the salt of a day by. */
export function saltName(day: number): string {
  return `visitors/${new Date(day * DAY_MILLISECONDS).toISOString().slice(0, 10)}`;
}
