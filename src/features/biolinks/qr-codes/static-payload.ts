import type { StaticTarget } from "./qr-targets.schemas.ts";

/** What a static code holds: the whole of what it says, in the form that phones know. */
export function staticPayload(target: StaticTarget): string {
  switch (target.type) {
    case "text":
      return target.text;
    case "phone":
      return `tel:${target.phone}`;
    case "sms":
      return `SMSTO:${target.phone}:${target.message ?? ""}`;
    case "email":
      return mailto(target);
    case "wifi":
      return wifi(target);
    case "vcard":
      return vcard(target);
  }
}

/** A reader may take a CR alone for the end of a field. */
const ANY_LINE_END = /\r\n?|\n/g;

type Of<Type extends StaticTarget["type"]> = Extract<StaticTarget, { type: Type }>;

/** RFC 6068: all is percent-encoded, spaces too; lines end in CR LF. */
function mailto({ to, subject, body }: Of<"email">): string {
  const fields = Object.entries({ subject, body: body?.replaceAll(ANY_LINE_END, "\r\n") })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? "")}`);
  const address = encodeURIComponent(to).replaceAll("%40", "@");
  return `mailto:${address}${fields.length > 0 ? `?${fields.join("&")}` : ""}`;
}

function wifi({ ssid, password, security, hidden }: Of<"wifi">): string {
  const fields = [
    `T:${security}`,
    `S:${escapeWifi(ssid)}`,
    ...(password ? [`P:${escapeWifi(password)}`] : []),
    ...(hidden ? ["H:true"] : []),
  ];
  return `WIFI:${fields.join(";")};;`;
}

function escapeWifi(text: string): string {
  return text.replaceAll(/[\\;,:"]/g, "\\$&");
}

/** RFC 2426. Lines are not folded: readers of codes do not all unfold them. */
function vcard(card: Of<"vcard">): string {
  const { first_name, last_name, organization } = card;
  const name = [first_name, last_name].filter(Boolean).join(" ") || (organization ?? "");
  const address = [card.street, card.city, card.region, card.postal_code, card.country];
  const lines: [string, string | undefined | null][] = [
    ["N", `${escapeCard(last_name ?? "")};${escapeCard(first_name ?? "")};;;`],
    ["FN", escapeCard(name)],
    ["ORG", organization && escapeCard(organization)],
    ["TITLE", card.job_title && escapeCard(card.job_title)],
    ["TEL", card.phone],
    ["EMAIL", card.email && escapeCard(card.email)],
    ["URL", card.website && escapeCard(card.website)],
    [
      "ADR",
      address.some(Boolean) ? `;;${address.map((part) => escapeCard(part ?? "")).join(";")}` : null,
    ],
    ["NOTE", card.note && escapeCard(card.note)],
  ];
  const written = lines.filter(([, value]) => value).map(([field, value]) => `${field}:${value}`);
  return ["BEGIN:VCARD", "VERSION:3.0", ...written, "END:VCARD"].join("\r\n");
}

function escapeCard(text: string): string {
  return text.replaceAll(/[\\;,]/g, "\\$&").replaceAll(ANY_LINE_END, "\\n");
}
