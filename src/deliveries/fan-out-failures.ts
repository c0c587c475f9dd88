import { countFailure, eventEnd } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import { deadLetterInsert } from "../platform/dead-letters/dead-letters.repository.ts";
import { now } from "../platform/time.ts";

/** An event that failed so often, a minute apart, will not go out by another try. */
const GIVE_UP_FAILURES = 60;
const SOURCE = "fan_out_forgotten";

/** Counts the failure of an event, and sets it aside when it has failed too often. */
export async function noteFailure(ctx: Context, event: string, fault: unknown): Promise<void> {
  const { db, log, workspaceId } = ctx;
  log.error("fan_out_faulted", { record: event, fault });
  try {
    const attempts = await countFailure(db, workspaceId, event);
    if (attempts < GIVE_UP_FAILURES) return;
    const letter = { source: SOURCE, workspaceId, body: { event }, fault, attempts };
    await db.batch([deadLetterInsert(db, letter), eventEnd(db, workspaceId, event, now())]);
  } catch (lost) {
    log.error("failure_not_counted", { record: event, fault: lost });
  }
}
