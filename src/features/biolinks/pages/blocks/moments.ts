interface Place {
  language: string;
  timeZone: string;
}

/** A date and time as people of that language write it, in the page's time zone. */
export function writtenMoment(
  moment: string,
  place: Place,
  options: Intl.DateTimeFormatOptions,
): string {
  return partsOf(moment, place, options)
    .map(({ value }) => value)
    .join("");
}

/** What the page's time zone is called at a moment: another name in summer than in winter. */
export function zoneNameAt(moment: string, place: Place): string | undefined {
  const parts = partsOf(moment, place, HOUR_IN_ZONE);
  return parts.find(({ type }) => type === "timeZoneName")?.value;
}

function partsOf(
  moment: string,
  { language, timeZone }: Place,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormatPart[] {
  const date = new Date(moment);
  try {
    return new Intl.DateTimeFormat(language, { timeZone, ...options }).formatToParts(date);
  } catch {
    // A runtime may not know a language or zone that was once valid.
    return new Intl.DateTimeFormat("en", { timeZone: "UTC", ...options }).formatToParts(date);
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
