/** Which contacts: what segments say, and contacts know how to select. */

export const UNITS = ["hours", "days", "weeks", "months"] as const;
export type Unit = (typeof UNITS)[number];
export interface Span {
  n: number;
  unit: Unit;
}
export type RuleValue = string | number | boolean | string[] | [number, number] | Span;

export type Match = "all" | "any";

/** A rule that evaluation understands. `value` is as it was given, for `op` and its field's type. */
export interface Rule {
  field: string;
  op: string;
  value?: RuleValue;
}

export interface Group {
  match: Match;
  rules: Rule[];
}

export interface Conditions {
  match: Match;
  groups: Group[];
}

/** What a segment selects. `conditions` have been through the sanitiser just now. */
export interface ContactSelection {
  stageId: string | null;
  includeTags: string[];
  excludeTags: string[];
  minDaysInactive: number | null;
  conditions: Conditions | null;
}

/** How rules name custom fields: `custom.<key>`. */
export const CUSTOM_PREFIX = "custom.";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** The first and the last millisecond of a time: a date is its whole day in UTC. */
export function dayOf(time: string): { start: number; end: number } {
  const start = Date.parse(time);
  return { start, end: time.includes("T") ? start : start + DAY_MILLISECONDS - 1 };
}
