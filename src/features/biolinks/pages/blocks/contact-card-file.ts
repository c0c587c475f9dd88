import { withoutTrunkZero } from "../../../../platform/telephone.ts";
import { writtenUrl } from "../../../../platform/web-url.ts";
import type { ContactCardSettings } from "./contact-card.block.ts";

/** The card as a `.vcf` of RFC 2426, which every phone reads. */
export function contactCardFile(card: ContactCardSettings): string {
  const { address = {} } = card;
  const parts = [
    address.street,
    address.city,
    address.region,
    address.postal_code,
    address.country,
  ];
  const words = card.name.split(" ");
  const family = words.length > 1 ? words.at(-1) : "";
  const given = words.length > 1 ? words.slice(0, -1).join(" ") : card.name;
  const lines: [string, string | undefined][] = [
    ["N", `${escapeText(family)};${escapeText(given)};;;`],
    ["FN", escapeText(card.name)],
    ["ORG", card.organization && escapeText(card.organization)],
    ["TITLE", card.job_title && escapeText(card.job_title)],
    ...(card.phones ?? []).map((phone): [string, string] => [
      "TEL;TYPE=VOICE",
      withoutTrunkZero(phone),
    ]),
    ...(card.emails ?? []).map((email): [string, string] => [
      "EMAIL;TYPE=INTERNET",
      escapeText(email),
    ]),
    ["ADR;TYPE=WORK", parts.some(Boolean) ? `;;${parts.map(escapeText).join(";")}` : undefined],
    ["URL", card.website && writtenUrl(card.website)],
    ["NOTE", card.note && escapeText(card.note)],
  ];
  const written = lines.flatMap(([name, value]) => (value ? [`${name}:${value}`] : []));
  return foldedLines(["BEGIN:VCARD", "VERSION:3.0", ...written, "END:VCARD"]);
}

const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;
/** But for the tab no control character may stand in such files. */
const CONTROL = /(?!\t)\p{Cc}/gu;

/** A text of a vCard or an iCalendar file: RFC 2426 and RFC 5545 escape alike. */
export function escapeText(text = ""): string {
  const escaped = text.replaceAll(/[\\;,]/g, "\\$&");
  return escaped.replaceAll(LINE_END, "\\n").replaceAll(CONTROL, "");
}

const encoder = new TextEncoder();

/** Lines of at most 75 bytes, which are never cut within a character. */
export function foldedLines(lines: readonly string[]): string {
  return lines.map((line) => `${fold(line)}\r\n`).join("");
}

function fold(line: string): string {
  let folded = "";
  let bytes = 0;
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (bytes + size > 75) {
      folded += "\r\n ";
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}
