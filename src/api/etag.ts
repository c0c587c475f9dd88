import { ApiError } from "./errors.ts";

/** What stands between the commas of a list; those within quotes are part of a tag. */
const ELEMENTS = /(?:[^",]|"[^"]*"?)+/g;

export function toEtag(revision: string): string {
  return `"${revision}"`;
}

function isAny(header: string): boolean {
  return header.trim() === "*";
}

/**
 * Whether a conditional header (`If-Match`, `If-None-Match`) names this revision, or any. Weak
 * tags match too, as proxies that compress weaken ours, and so does a revision without quotes.
 */
function names(header: string, revision: string): boolean {
  if (isAny(header)) return true;
  const tags = (header.match(ELEMENTS) ?? []).map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.some((tag) => tag === toEtag(revision) || (tag !== "" && tag === revision));
}

/** Whether the caller holds this revision already, so that 304 will do (RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: string | null, revision: string): boolean {
  return ifNoneMatch !== null && names(ifNoneMatch, revision);
}

/** Which revision a write may replace. `any`: the caller sent `If-Match: *`. */
export interface ExpectedRevision {
  any: boolean;
  /** The record's revision that the caller named, as callers know it. */
  named?: string;
}

/** @throws 428 without `If-Match`, 412 when it does not name the record's revision. */
export function expectRevision(ifMatch: string | null, current: string): ExpectedRevision {
  if (ifMatch === null || ifMatch.trim() === "") throw new ApiError("precondition_required");
  if (!names(ifMatch, current)) throw new ApiError("precondition_failed");
  return isAny(ifMatch) ? { any: true } : { any: false, named: current };
}
