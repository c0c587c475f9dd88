import { findWanted } from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Context } from "../../../platform/context/context.ts";
import { deadLetterInsertIf } from "../../../platform/dead-letters/dead-letters.repository.ts";
import { type Attempt, type AttemptEnd, attemptEnding, OF_ATTEMPT } from "./messages.repository.ts";

/** Whether a message was given up; its event, if somebody wants that. */
export interface Abandonment {
  isAbandoned: boolean;
  wanted: string | undefined;
}

/**
 * Ends a message and sets it aside as a dead letter, unless it has ended, or another attempt has
 * begun, since.
 */
export async function endAsDeadLetter(
  { db, workspaceId }: Context,
  attempt: Attempt,
  { end, event, fault }: { end: AttemptEnd; event: EventRow | undefined; fault: unknown },
): Promise<Abandonment> {
  const { id, attemptsCount } = attempt;
  const letter = deadLetterInsertIf(
    db,
    { source: "messages", workspaceId, body: { message: id }, fault, attempts: attemptsCount },
    `EXISTS (SELECT 1 FROM messages WHERE ${OF_ATTEMPT})`,
    [id, attemptsCount],
  );
  const answers = await db.$client.batch([letter, ...attemptEnding(db, attempt, end, event)]);
  return { isAbandoned: (answers.at(-1)?.meta.changes ?? 0) > 0, wanted: findWanted(answers) };
}
