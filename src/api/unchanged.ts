import { now } from "../platform/time.ts";
import { ApiError } from "./errors.ts";
import type { ExpectedRevision } from "./etag.ts";

/** Below a keyed request's lease, and some fifty tries: a request may ask D1 1000 times. */
export const PATIENCE_MILLISECONDS = 20_000;
const MAX_PAUSE_MILLISECONDS = 1_000;

/**
 * Runs a write that holds only if the record has still the revision that was read (it answers
 * undefined if not). Then: 412, or, for a caller to whom any revision is right, again on what
 * `reread` finds, until it holds. @throws 404 from `reread`, 409 after twenty seconds, 412
 */
export async function ifUnchanged<Row, Written>(
  row: Row,
  expected: ExpectedRevision,
  write: (current: Row) => Promise<Written | undefined>,
  reread: () => Promise<Row>,
): Promise<Written> {
  const startedAt = now();
  let current = row;
  for (;;) {
    const written = await write(current);
    if (written !== undefined) return written;
    const elapsed = now() - startedAt;
    if (expected.any && elapsed < PATIENCE_MILLISECONDS) await pauseByChance(elapsed);
    current = await reread();
    if (!expected.any) throw new ApiError("precondition_failed");
    if (elapsed >= PATIENCE_MILLISECONDS) {
      const message = "The record is being changed by others: try again.";
      throw new ApiError("conflict", { message });
    }
  }
}

/** Those who collided go on at different times, spread the wider the longer it has taken so far. */
export async function pauseByChance(elapsedMilliseconds: number): Promise<void> {
  await scheduler.wait(Math.random() * Math.min(elapsedMilliseconds, MAX_PAUSE_MILLISECONDS));
}

/** Whether a change leaves every value of a record as it is: then its revision stays, too. */
export function changesNothing<Row extends object>(row: Row, changes: Partial<Row>): boolean {
  return Object.entries(changes).every(([name, value]) => isSame(row[name as keyof Row], value));
}

/** Whether two values of columns are the same, whatever the order of the keys in JSON. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ofA, ofB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    ofA.size === ofB.size &&
    [...ofA].every(([key, value]) => ofB.has(key) && isSame(value, ofB.get(key)))
  );
}
