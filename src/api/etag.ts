import { ApiError } from "./errors.ts";

export function toEtag(revision: string): string {
  return `"${revision}"`;
}

/** Whether a conditional header (`If-Match`, `If-None-Match`) names this revision, or any. */
function names(header: string, revision: string, weak: "weak" | "strong"): boolean {
  const tags = header.split(",").map((tag) => tag.trim());
  return tags.some((tag) => {
    if (tag === "*") return true;
    return (weak === "weak" ? tag.replace(/^W\//, "") : tag) === toEtag(revision);
  });
}

/** Whether the caller holds this revision already, so that 304 will do (RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: string | null, revision: string): boolean {
  return ifNoneMatch !== null && names(ifNoneMatch, revision, "weak");
}

/** Which revision a write may replace. `any`: the caller sent `If-Match: *`. */
export interface ExpectedRevision {
  any: boolean;
}

/** @throws 428 without `If-Match`, 412 when it does not name the record's revision. */
export function expectRevision(ifMatch: string | null, current: string): ExpectedRevision {
  if (ifMatch === null || ifMatch.trim() === "") throw new ApiError("precondition_required");
  if (!names(ifMatch, current, "strong")) throw new ApiError("precondition_failed");
  return { any: ifMatch.trim() === "*" };
}
