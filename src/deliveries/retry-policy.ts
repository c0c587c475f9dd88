import { type Outcome, waitBeforeRetry } from "../platform/outbound/retry-policy.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Pauses after the first, second, … failed attempt; after the last there is no further one. */
const PAUSES_MILLISECONDS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];
const STOP_AFTER_FAILING = 5 * DAY;

/** The error of an attempt that met a fault of ours: the receiver is not to blame. */
export const INTERNAL_ERROR = "internal_error";

/** The error of an attempt that was cut off: the lane died, or whoever wrote of it. */
export const INTERRUPTED = "interrupted";

/** The error of an attempt for which there is no payload any more. */
export const PAYLOAD_PURGED = "payload_purged";

/** The error of an attempt that could not be signed: the target's secret opens with no key. */
export const SECRET_UNREADABLE = "secret_unreadable";

/** Why nothing more is sent to a target. */
export type StopReason = "gone" | "failing" | "disabled_by_receiver" | "secret_unreadable";

/** What follows from an attempt, for the delivery and for its target. */
export interface Consequence {
  status: "delivered" | "pending" | "failed";
  nextAttemptAt: number | null;
  stop: StopReason | null;
}

/** Decides what follows from an attempt. `random` in [0, 1) spreads retries by a tenth either way. */
export function consequenceOf(
  outcome: Outcome,
  attempt: { number: number; failingSince: number | null },
  now: number,
  random: number,
): Consequence {
  if (outcome.error === null) {
    const stop = outcome.instruction === "disable" ? "disabled_by_receiver" : null;
    return { status: "delivered", nextAttemptAt: null, stop };
  }
  const stop = stopReason(outcome, attempt.failingSince, now);
  const wait = waitBeforeRetry(PAUSES_MILLISECONDS, attempt.number, outcome, random);
  // Whether a target that fails is stopped is decided as this is written down: it may have answered
  // another well by then. If it is, the next attempt ends as that of whatever else waits for it.
  const isStopped = stop !== null && stop !== "failing";
  if (isStopped || outcome.final || outcome.instruction || wait === undefined) {
    return { status: "failed", nextAttemptAt: null, stop };
  }
  return { status: "pending", nextAttemptAt: now + wait, stop };
}

/**
 * What follows from an attempt that was cut off: the next at once, as the receiver is not to blame,
 * but no more than there are of those that failed.
 */
export function consequenceOfInterruption(number: number, now: number): Consequence {
  if (number > PAUSES_MILLISECONDS.length)
    return { status: "failed", nextAttemptAt: null, stop: null };
  return { status: "pending", nextAttemptAt: now, stop: null };
}

function stopReason(outcome: Outcome, failingSince: number | null, now: number): StopReason | null {
  if (outcome.error === SECRET_UNREADABLE) return "secret_unreadable";
  if (outcome.statusCode === 410) return "gone";
  if (outcome.instruction === "disable") return "disabled_by_receiver";
  if (failingSince !== null && failingSince <= now - STOP_AFTER_FAILING) return "failing";
  return null;
}
