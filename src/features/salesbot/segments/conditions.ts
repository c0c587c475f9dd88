/**
 * The sanitiser of segment conditions: pure, and used at save, at preview and again at each
 * evaluation, since a stored segment may be older than the list of fields.
 */

import type { Conditions, Group, Match, Rule } from "../contacts/contact-selection.ts";
import { readRuleValue } from "./rule-value.ts";
import { findField, OPERATORS } from "./segment-fields.ts";

export const MAX_GROUPS = 10;
export const MAX_RULES = 15;

export const DROP_REASONS = [
  "invalid_rule",
  "unknown_field",
  "unknown_operator",
  "operator_does_not_fit",
  "invalid_value",
  "invalid_group",
  "too_many",
] as const;

/** What was dropped, by its place in what was sent (from 0), and why. `rule` null: a whole group. */
export interface DroppedRule {
  group: number | null;
  rule: number | null;
  reason: (typeof DROP_REASONS)[number];
}

export interface Sanitised {
  /** Null: no conditions, every contact meets them. */
  conditions: Conditions | null;
  dropped: DroppedRule[];
}

/** Met by nobody: what is left when something was sent that holds no groups at all. */
const NOBODY: Conditions = { match: "all", groups: [{ match: "any", rules: [] }] };

/**
 * Keeps of any JSON what evaluation understands. A rule is dropped alone. A group left without
 * rules stays in its place, empty: what that means, `conditionsSql` says.
 * Applied again it changes nothing.
 */
export function sanitise(input: unknown): Sanitised {
  if (input === null || input === undefined) return { conditions: null, dropped: [] };
  const dropped: DroppedRule[] = [];
  const match = isRecord(input) ? readMatch(input.match) : undefined;
  if (!isRecord(input) || !match || !isList(input.groups)) {
    return { conditions: NOBODY, dropped: [{ group: null, rule: null, reason: "invalid_group" }] };
  }
  const sent = input.groups ?? [];
  if (sent.length === 0) return { conditions: null, dropped };
  const groups = sent
    .map((group, at) => sanitiseGroup(group, at, dropped))
    // Beyond the limit, where all have no rules, only those whose absence would select more.
    .filter((group, at) => at < MAX_GROUPS || (group.match === "any" && match === "all"));
  return { conditions: { match, groups }, dropped };
}

function sanitiseGroup(group: unknown, at: number, dropped: DroppedRule[]): Group {
  const match = isRecord(group) ? readMatch(group.match) : undefined;
  if (!isRecord(group) || !match || !isList(group.rules)) {
    dropped.push({ group: at, rule: null, reason: "invalid_group" });
    return { match: "any", rules: [] };
  }
  const rules: Rule[] = [];
  for (const [place, sent] of (group.rules ?? []).entries()) {
    const tooMany = at >= MAX_GROUPS || place >= MAX_RULES;
    const read = tooMany ? "too_many" : readRule(sent);
    if (typeof read === "string") dropped.push({ group: at, rule: place, reason: read });
    else rules.push(read);
  }
  return { match, rules };
}

/** A rule, or why it is none. */
function readRule(sent: unknown): Rule | DroppedRule["reason"] {
  if (!isRecord(sent)) return "invalid_rule";
  const field = findField(sent.field);
  if (!field) return "unknown_field";
  const { op } = sent;
  if (typeof op !== "string" || !isOperator(op)) return "unknown_operator";
  const types = field.types.filter((type) => (OPERATORS[type] as readonly string[]).includes(op));
  if (types.length === 0) return "operator_does_not_fit";
  if (op === "is_empty" || op === "is_not_empty") return { field: field.name, op };
  for (const type of types) {
    const value = readRuleValue(field, type, op, sent.value);
    if (value !== undefined) return { field: field.name, op, value };
  }
  return "invalid_value";
}

function isOperator(op: string): boolean {
  return Object.values(OPERATORS).some((operators) =>
    (operators as readonly string[]).includes(op),
  );
}

/** `all` if it is left out; undefined if it is something else. */
function readMatch(match: unknown): Match | undefined {
  if (match === undefined) return "all";
  return match === "all" || match === "any" ? match : undefined;
}

function isList(value: unknown): value is unknown[] | undefined {
  return value === undefined || Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The ids of tags and stages that conditions name. */
export function referencesOf(conditions: Conditions | null): { tags: string[]; stages: string[] } {
  const rules = conditions?.groups.flatMap((group) => group.rules) ?? [];
  const named = (field: string) =>
    rules.filter((rule) => rule.field === field).flatMap((rule) => (rule.value ?? []) as string[]);
  return { tags: [...new Set(named("tags"))], stages: [...new Set(named("stage"))] };
}
