/**
 * A segment as one parameterised query. Whatever its rules hold travels in one JSON array, bound
 * as ?2: no value becomes SQL text, and D1's limit of 100 parameters is never met.
 */

import { shownStage, shownTags } from "./contact-labels.repository.ts";
import type { ContactScan } from "./contact-scan.ports.ts";
import {
  type Conditions,
  type ContactSelection,
  CUSTOM_PREFIX,
  dayOf,
  type Group,
  type Rule,
  type Span,
  type Unit,
} from "./contact-selection.ts";
import { weightOf } from "./selection-weight.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const UNIT_MILLISECONDS: Record<Unit, number> = {
  hours: HOUR,
  days: DAY,
  weeks: 7 * DAY,
  months: 30 * DAY,
};

/** The values of a query, each known in SQL by its place. */
class Values {
  readonly #values: unknown[] = [];

  /** The SQL that stands for a value. */
  one(value: string | number): string {
    return `(?2 ->> ${this.#values.push(value) - 1})`;
  }

  /** The SQL that stands for a list, after `IN`. Cut out first: json_each parses all it is given. */
  list(values: string[]): string {
    return `(SELECT value FROM json_each(?2 -> ${this.#values.push(values) - 1}))`;
  }

  /** What is to be bound as ?2. */
  toBind(): string {
    return JSON.stringify(this.#values);
  }
}

/** How the contacts of a selection are found at a time, in milliseconds. */
export function toContactScan(selection: ContactSelection, now: number): ContactScan {
  const values = new Values();
  const { stageId, includeTags, excludeTags, minDaysInactive, conditions } = selection;
  const [firstTag, ...otherTags] = new Set(includeTags);
  const where: string[] = [];
  if (otherTags.length > 0) where.push(hasAll(otherTags, values));
  if (excludeTags.length > 0) where.push(`NOT ${hasAny(excludeTags, values)}`);
  if (stageId && firstTag) where.push(`contacts.stage_id = ${values.one(stageId)}`);
  if (minDaysInactive) {
    where.push(`contacts.inactive_since <= ${values.one(now - minDaysInactive * DAY)}`);
  }
  if (conditions) where.push(conditionsSql(conditions, values, now));
  return {
    ...sourceOf(firstTag, stageId, values),
    where: where.join(" AND ") || "true",
    takesAll: where.length === 0,
    values: values.toBind(),
    weight: weightOf(selection),
  };
}

/** What is walked through: the index, in the order of ids, that leaves fewest to look at. */
function sourceOf(tag: string | undefined, stage: string | null, values: Values) {
  if (tag) return { source: "tag" as const, key: values.one(tag) };
  if (stage) return { source: "stage" as const, key: values.one(stage) };
  return { source: "workspace" as const, key: "" };
}

/**
 * Of groups without rules an `any` is met by nobody, and an `all` says nothing: it is passed over.
 * Where no group says anything, nobody is met.
 */
function conditionsSql({ match, groups }: Conditions, values: Values, now: number): string {
  const telling = groups.filter((group) => group.match === "any" || group.rules.length > 0);
  if (telling.length === 0) return "false";
  return join(
    match,
    telling.map((group) => groupSql(group, values, now)),
  );
}

function groupSql({ match, rules }: Group, values: Values, now: number): string {
  return join(
    match,
    rules.map((rule) => ruleSql(rule, values, now)),
  );
}

function join(match: "all" | "any", conditions: string[]): string {
  if (conditions.length === 0) return match === "all" ? "true" : "false";
  return `(${conditions.join(match === "all" ? " AND " : " OR ")})`;
}

function ruleSql({ field, op, value }: Rule, values: Values, now: number): string {
  if (field === "tags") return tagsSql(op, value as string[], values);
  if (field.startsWith(CUSTOM_PREFIX)) return customSql(field, op, value, values);
  if (field.endsWith("_at")) return dateSql(`contacts.${field}`, op, value, values, now);
  if (op === "is_empty") return `${filled(field)} IS NULL`;
  if (op === "is_not_empty") return `${filled(field)} IS NOT NULL`;
  const isText = field === "name" || field === "email" || field === "phone";
  if (isText) return textSql(`lower(contacts.${field})`, op, value as string, values);
  // Language tags mean the same in any case; contacts and rules keep the case they came in.
  if (field === "language") return choiceSql("lower(contacts.language)", op, fold(value), values);
  return choiceSql(`contacts.${columnOf(field)}`, op, value as string | string[], values);
}

function filled(field: string): string {
  return field === "stage" ? shownStage("?1") : `contacts.${columnOf(field)}`;
}

function columnOf(field: string): string {
  return field === "stage" ? "stage_id" : field;
}

/** `folded` is null where there is no text: negative operators match that too. */
function textSql(folded: string, op: string, value: string, values: Values): string {
  const wanted = values.one(foldCase(value));
  switch (op) {
    case "eq":
      return `${folded} = ${wanted}`;
    case "neq":
      return `${folded} IS NOT ${wanted}`;
    case "contains":
      return `instr(${folded}, ${wanted}) > 0`;
    case "not_contains":
      return `coalesce(instr(${folded}, ${wanted}), 0) = 0`;
    case "starts_with":
      return `substr(${folded}, 1, length(${wanted})) = ${wanted}`;
    case "ends_with":
      return `substr(${folded}, -length(${wanted})) = ${wanted}`;
    default:
      return "false";
  }
}

/** As SQLite's `lower`: A to Z only. */
function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function fold(value: Rule["value"]): string | string[] {
  return Array.isArray(value) ? value.map((one) => foldCase(String(one))) : foldCase(String(value));
}

function choiceSql(column: string, op: string, value: string | string[], values: Values): string {
  switch (op) {
    case "eq":
      return `${column} = ${values.one(value as string)}`;
    case "neq":
      return `${column} IS NOT ${values.one(value as string)}`;
    case "in":
      return `${column} IN ${values.list(value as string[])}`;
    case "not_in":
      return `(${column} IS NULL OR ${column} NOT IN ${values.list(value as string[])})`;
    default:
      return "false";
  }
}

function tagsSql(op: string, value: string[], values: Values): string {
  const any = `EXISTS (SELECT 1 FROM contact_tags WHERE ${shownTags("?1")})`;
  switch (op) {
    case "has_any":
      return hasAny(value, values);
    case "has_all":
      return hasAll([...new Set(value)], values);
    case "has_none":
      return `NOT ${hasAny(value, values)}`;
    case "is_empty":
      return `NOT ${any}`;
    case "is_not_empty":
      return any;
    default:
      return "false";
  }
}

function hasAny(tags: string[], values: Values): string {
  return `EXISTS (SELECT 1 FROM contact_tags AS label
    WHERE label.contact_id = contacts.id AND +label.tag_id IN ${values.list(tags)})`;
}

function hasAll(tags: string[], values: Values): string {
  return `(SELECT count(*) FROM contact_tags AS label
    WHERE label.contact_id = contacts.id AND +label.tag_id IN ${values.list(tags)}) = ${tags.length}`;
}

function customSql(field: string, op: string, value: Rule["value"], values: Values): string {
  const path = values.one(`$."${field.slice(CUSTOM_PREFIX.length)}"`);
  const held = `contacts.custom ->> ${path}`;
  if (op === "is_empty") return `coalesce(${held}, '') = ''`;
  if (op === "is_not_empty") return `coalesce(${held}, '') <> ''`;
  const type = `json_type(contacts.custom, ${path})`;
  if (typeof value === "boolean") return booleanSql(type, op, value, values);
  if (typeof value === "string") {
    return textSql(`lower(CASE WHEN ${type} = 'text' THEN ${held} END)`, op, value, values);
  }
  const number = `CASE WHEN ${type} IN ('integer', 'real') THEN ${held} END`;
  return numberSql(`(${number})`, op, value as number | [number, number], values);
}

/** By its JSON type, which tells true from 1 and from "true"; null where there is no value. */
function booleanSql(type: string, op: string, value: boolean, values: Values): string {
  const wanted = values.one(String(value));
  if (op === "eq") return `${type} = ${wanted}`;
  return op === "neq" ? `${type} IS NOT ${wanted}` : "false";
}

const COMPARISONS: Record<string, string> = {
  eq: "=",
  neq: "IS NOT",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
};

function numberSql(
  number: string,
  op: string,
  value: number | [number, number],
  values: Values,
): string {
  if (Array.isArray(value)) {
    return `${number} BETWEEN ${values.one(value[0])} AND ${values.one(value[1])}`;
  }
  const comparison = COMPARISONS[op];
  return comparison ? `${number} ${comparison} ${values.one(value)}` : "false";
}

function dateSql(
  column: string,
  op: string,
  value: Rule["value"],
  values: Values,
  now: number,
): string {
  const [first, last] = [value].flat() as string[];
  const ago = () => {
    const { n, unit } = value as Span;
    return values.one(now - n * UNIT_MILLISECONDS[unit]);
  };
  switch (op) {
    case "before":
      return `${column} < ${values.one(dayOf(first as string).start)}`;
    case "after":
      return `${column} > ${values.one(dayOf(first as string).end)}`;
    case "between":
      return `${column} BETWEEN ${values.one(dayOf(first as string).start)} AND ${values.one(dayOf(last as string).end)}`;
    case "within_last":
      return `${column} >= ${ago()}`;
    case "more_than_ago":
      return `${column} < ${ago()}`;
    case "is_empty":
      return `${column} IS NULL`;
    case "is_not_empty":
      return `${column} IS NOT NULL`;
    default:
      return "false";
  }
}
