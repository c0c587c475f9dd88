/** A date and time as people of that language write it, in the page's time zone. */
export function writtenMoment(
  moment: string,
  { language, timeZone }: { language: string; timeZone: string },
  options: Intl.DateTimeFormatOptions,
): string {
  const date = new Date(moment);
  try {
    return new Intl.DateTimeFormat(language, { timeZone, ...options }).format(date);
  } catch {
    // A runtime may not know a language or zone that was once valid.
    return new Intl.DateTimeFormat("en", { timeZone: "UTC", ...options }).format(date);
  }
}

export const DAY: Intl.DateTimeFormatOptions = {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
};
export const HOUR: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
export const HOUR_IN_ZONE: Intl.DateTimeFormatOptions = { ...HOUR, timeZoneName: "short" };
