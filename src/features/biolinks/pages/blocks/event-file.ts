import { writtenUrl } from "../../../../platform/web-url.ts";
import { escapeText, foldedLines } from "./contact-card-file.ts";
import type { EventSettings } from "./event.block.ts";

/** The event as an `.ics` of RFC 5545. Who imports it again gets the same event, changed. */
export function eventFile(
  event: EventSettings,
  { uid, stampedAt }: { uid: string; stampedAt: string },
): string {
  const { title, starts_at, ends_at, description, url, location } = event;
  const place = [location?.name, location?.address].filter(Boolean).join(", ");
  const lines: [string, string | undefined][] = [
    ["UID", uid],
    ["DTSTAMP", utc(stampedAt)],
    ["DTSTART", utc(starts_at)],
    ["DTEND", ends_at && utc(ends_at)],
    ["SUMMARY", escapeText(title)],
    ["DESCRIPTION", description && escapeText(description)],
    ["LOCATION", place && escapeText(place)],
    ["URL", url && writtenUrl(url)],
  ];
  const written = lines.flatMap(([name, value]) => (value ? [`${name}:${value}`] : []));
  return foldedLines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Signpost//Pages//EN",
    "METHOD:PUBLISH",
    "BEGIN:VEVENT",
    ...written,
    "END:VEVENT",
    "END:VCALENDAR",
  ]);
}

/** `2027-05-14T17:00:00.000Z` as `20270514T170000Z`. */
function utc(moment: string): string {
  return `${moment.slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}
