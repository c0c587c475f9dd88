import { OTHER_VALUES } from "./ledger-counts.ts";
import {
  type Dimension,
  PROPERTIES,
  SUBJECTS,
  type SubjectKind,
  TOLD_APART,
} from "./ledger-shapes.ts";

/** The number of the whole workspace; subjects have others, that are no value's without a text. */
export const WORKSPACE = 0;
export const FIRST_SUBJECT = OTHER_VALUES + 1;
/** More subjects than that are counted as `(other)`, one of each kind: a key has 24 bits for one. */
export const MAX_SUBJECTS = 2 ** 24 - 10;
const SUBJECT_UNIT = 2 ** 24;
/** What a key's part is the rest of. */
export const PART_UNIT = 32;

/** By what a whole day is added up for the workspace, a part each: what is new is added at the end. */
export const DIMENSIONS: readonly Dimension[] = [
  ...SUBJECTS.filter((kind) => kind !== TOLD_APART),
  ...PROPERTIES,
  TOLD_APART,
];
/** Of a subject: its combinations, by slot. */
const COMBINATIONS = 0;
/**
 * Likewise of one that is told apart: who goes through a day for all that happened meets none of it.
 * From the end of all parts, with its summary behind it: dimensions take theirs from the begin.
 */
const COMBINATIONS_APART = PART_UNIT - 2;
/** The part behind its combinations, of a subject with many: its totals by slot and its whole day by each property. */
export const SUMMARY = 1;
/** Of the workspace: its totals by slot, … */
export const TOTALS = 2;

/** … and its whole day by a dimension. */
export function partOf(dimension: Dimension): number {
  return TOTALS + 1 + DIMENSIONS.indexOf(dimension);
}

/** The part of a subject's combinations. */
export function combinationsOf(kind: SubjectKind | undefined): number {
  return kind === TOLD_APART ? COMBINATIONS_APART : COMBINATIONS;
}

/** The key of a body of counts: by day (UTC, since the epoch) first, so that the oldest go first. */
export function countsKey(day: number, subject: number, part: number): number {
  return (day * SUBJECT_UNIT + subject) * PART_UNIT + part;
}

export function readKey(key: number): { day: number; subject: number; part: number } {
  const ofSubject = Math.floor(key / PART_UNIT);
  return {
    day: Math.floor(ofSubject / SUBJECT_UNIT),
    subject: ofSubject % SUBJECT_UNIT,
    part: key % PART_UNIT,
  };
}

/** The key of what was seen of a subject on a day. */
export function seenKey(day: number, subject: number): number {
  return day * SUBJECT_UNIT + subject;
}
