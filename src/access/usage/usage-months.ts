const MONTHS_A_YEAR = 12;

/** The month of a time (UTC), as the triggers number months. */
export function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * MONTHS_A_YEAR + date.getUTCMonth();
}

/** As the API names it: `2026-11`. */
export function nameOfMonth(month: number): string {
  const ofYear = String((month % MONTHS_A_YEAR) + 1).padStart(2, "0");
  return `${Math.floor(month / MONTHS_A_YEAR)}-${ofYear}`;
}
