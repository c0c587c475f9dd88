/**
 * Whether a contact is in a segment, worked out in memory from the contact as the API answers it:
 * written from the rules of segments alone, to be compared with what the database selects.
 */
import type { Contact } from "../../src/features/salesbot/contacts/contacts.schemas.ts";

export interface OracleRule {
  field: string;
  op: string;
  value?: unknown;
}

export interface OracleSegment {
  stage?: string | null;
  include_tags?: string[];
  exclude_tags?: string[];
  min_days_inactive?: number | null;
  conditions?: { match: string; groups: { match: string; rules: OracleRule[] }[] } | null;
}

const DAY = 86_400_000;
const UNITS: Record<string, number> = {
  hours: 3_600_000,
  days: DAY,
  weeks: 7 * DAY,
  months: 30 * DAY,
};

export function isInSegment(contact: Contact, segment: OracleSegment, now: number): boolean {
  const { stage, include_tags = [], exclude_tags = [], min_days_inactive, conditions } = segment;
  if (stage && contact.stage !== stage) return false;
  if (!include_tags.every((tag) => contact.tags.includes(tag))) return false;
  if (exclude_tags.some((tag) => contact.tags.includes(tag))) return false;
  if (min_days_inactive) {
    const since = Date.parse(contact.last_active_at ?? contact.created_at);
    if ((now - since) / DAY < min_days_inactive) return false;
  }
  return !conditions || meetsConditions(contact, conditions, now);
}

export function meetsConditions(
  contact: Contact,
  { match, groups }: NonNullable<OracleSegment["conditions"]>,
  now: number,
): boolean {
  return judge(
    match,
    groups.map((group) =>
      judge(
        group.match,
        group.rules.map((rule) => meetsRule(contact, rule, now)),
      ),
    ),
  );
}

function judge(match: string, verdicts: boolean[]): boolean {
  return match === "any" ? verdicts.includes(true) : !verdicts.includes(false);
}

export function meetsRule(
  contact: Contact,
  { field, op, value }: OracleRule,
  now: number,
): boolean {
  if (field === "tags") return meetsSet(contact.tags, op, value as string[]);
  if (field.endsWith("_at")) {
    const time = contact[field as "created_at" | "last_active_at"];
    return meetsDate(time === null ? null : Date.parse(time), op, value, now);
  }
  const held = field.startsWith("custom.")
    ? (contact.custom[field.slice("custom.".length)] ?? null)
    : contact[field as "name"];
  if (op === "is_empty") return held === null || held === "";
  if (op === "is_not_empty") return held !== null && held !== "";
  const isChoice = ["channel", "country", "language", "status", "stage"].includes(field);
  if (isChoice) return meetsChoice(inLowerCase(held), op, inLowerCase(value));
  if (typeof value === "boolean") return (held === value) === (op === "eq");
  if (typeof value === "string") {
    return meetsText(typeof held === "string" ? held : null, op, value);
  }
  return meetsNumber(typeof held === "number" ? held : null, op, value as number | number[]);
}

/** Languages and countries are the same in any case; the other choices have only one. */
function inLowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inLowerCase);
  return typeof value === "string" ? value.toLowerCase() : value;
}

function meetsChoice(held: unknown, op: string, value: unknown): boolean {
  if (op === "eq") return held === value;
  if (op === "neq") return held !== value;
  if (op === "in") return (value as unknown[]).includes(held);
  if (op === "not_in") return !(value as unknown[]).includes(held);
  throw new Error(op);
}

function meetsText(held: string | null, op: string, value: string): boolean {
  const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const [text, wanted] = [held === null ? null : lower(held), lower(value)];
  switch (op) {
    case "eq":
      return text === wanted;
    case "neq":
      return text !== wanted;
    case "contains":
      return text?.includes(wanted) ?? false;
    case "not_contains":
      return !text?.includes(wanted);
    case "starts_with":
      return text?.startsWith(wanted) ?? false;
    case "ends_with":
      return text?.endsWith(wanted) ?? false;
    default:
      throw new Error(op);
  }
}

function meetsNumber(held: number | null, op: string, value: number | number[]): boolean {
  if (op === "neq") return held !== value;
  if (held === null) return false;
  if (op === "between") {
    const [low = 0, high = 0] = value as number[];
    return low <= held && held <= high;
  }
  const wanted = value as number;
  switch (op) {
    case "eq":
      return held === wanted;
    case "gt":
      return held > wanted;
    case "gte":
      return held >= wanted;
    case "lt":
      return held < wanted;
    case "lte":
      return held <= wanted;
    default:
      throw new Error(op);
  }
}

function meetsSet(held: string[], op: string, value: string[]): boolean {
  switch (op) {
    case "has_any":
      return value.some((tag) => held.includes(tag));
    case "has_all":
      return value.every((tag) => held.includes(tag));
    case "has_none":
      return !value.some((tag) => held.includes(tag));
    case "is_empty":
      return held.length === 0;
    case "is_not_empty":
      return held.length > 0;
    default:
      throw new Error(op);
  }
}

function meetsDate(held: number | null, op: string, value: unknown, now: number): boolean {
  if (op === "is_empty") return held === null;
  if (held === null) return false;
  if (op === "is_not_empty") return true;
  if (op === "within_last" || op === "more_than_ago") {
    const { n, unit } = value as { n: number; unit: string };
    const since = now - n * (UNITS[unit] ?? Number.NaN);
    return op === "within_last" ? held >= since : held < since;
  }
  const [low = "", high = ""] = [value].flat() as string[];
  // A date is its whole day: from its midnight to just before the next.
  const endOf = (time: string) => Date.parse(time) + (time.length === 10 ? DAY - 1 : 0);
  if (op === "before") return held < Date.parse(low);
  if (op === "after") return held > endOf(low);
  if (op === "between") return Date.parse(low) <= held && held <= endOf(high);
  throw new Error(op);
}
