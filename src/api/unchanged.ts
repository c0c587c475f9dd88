import { ApiError } from "./errors.ts";
import type { ExpectedRevision } from "./etag.ts";

const MAX_TRIES = 5;

/**
 * Runs a write that holds only if the record has still the revision that was read (it answers
 * undefined if not). Then: 412, or, for a caller to whom any revision is right, once more on
 * what `reread` finds. @throws 404 from `reread`, 409, 412
 */
export async function ifUnchanged<Row, Written>(
  row: Row,
  expected: ExpectedRevision,
  write: (current: Row) => Promise<Written | undefined>,
  reread: () => Promise<Row>,
): Promise<Written> {
  let current = row;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const written = await write(current);
    if (written !== undefined) return written;
    current = await reread();
    if (!expected.any) throw new ApiError("precondition_failed");
  }
  throw new ApiError("conflict", { message: "The record is being changed by others: try again." });
}
