import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { isTransient, retryTransient } from "../../../platform/db/retry.ts";
import { describeFault } from "../../../platform/log.ts";
import { isOverload } from "../../../platform/overload.ts";
import { now } from "../../../platform/time.ts";
import { type Abandonment, endAsDeadLetter } from "./message-abandonment.repository.ts";
import { messageEvent } from "./messages.presenter.ts";
import type { Attempt, AttemptEnd, MessageRow } from "./messages.repository.ts";

/** By then a fault that should pass does not: the message ends untold. */
const LAST_ATTEMPTS = 24;

/** Why nobody is told of it, if so. */
type Told = Abandonment & { untold?: string };

/**
 * Gives up a message that would fault each minute for ever: it has failed, and is set aside for
 * somebody to look at. `message` is as the attempt read it, if it could.
 * @throws the fault when the message is not that attempt's any more; what keeps the database from it for now
 */
export async function abandonMessage(
  ctx: Context,
  attempt: Attempt,
  message: MessageRow | undefined,
  fault: unknown,
): Promise<void> {
  const { isAbandoned, wanted, untold } = await endTold(ctx, attempt, message, fault);
  if (!isAbandoned) throw fault;
  ctx.log.error("message_abandoned", { record: attempt.id, fault, untold });
  await announceEvents(ctx, wanted);
}

async function endTold(
  ctx: Context,
  attempt: Attempt,
  message: MessageRow | undefined,
  fault: unknown,
): Promise<Told> {
  const end: AttemptEnd = {
    status: "failed",
    reason: "internal_error",
    sentAt: null,
    nextAttemptAt: null,
    updatedAt: now(),
  };
  // What cannot be read, nobody can be told.
  let untold = fault;
  if (message) {
    try {
      const event = messageEvent({ ...message, ...end });
      return await retryTransient(() => endAsDeadLetter(ctx, attempt, { end, event, fault }));
    } catch (lost) {
      const isForNow = isTransient(lost) && attempt.attemptsCount < LAST_ATTEMPTS;
      if (isOverload(lost) || isForNow) throw lost;
      untold = lost;
    }
  }
  // Its event may be the very fault, and is left out.
  const ended = await endAsDeadLetter(ctx, attempt, { end, event: undefined, fault });
  return { ...ended, untold: describeFault(untold).message };
}
