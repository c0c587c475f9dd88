import { type Outcome, waitBeforeRetry } from "../../../platform/outbound/retry-policy.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after the first, second, … failed attempt; after the last there is no further one. */
const PAUSES_MILLISECONDS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
/** Refusals that may be different the next time. */
const PASSING_STATUSES = [408, 425, 429];
const REASON = /^[a-z0-9_]{1,60}$/;

/** What follows from an attempt to hand a message to its connector. */
export type Verdict =
  | { status: "sent" }
  | { status: "failed"; reason: string }
  | { status: "queued"; waitMilliseconds: number };

/** Decides what follows from the n-th attempt. `random` in [0, 1) spreads retries by a tenth. */
export function verdictOf(
  outcome: Omit<Outcome, "durationMs">,
  attempt: number,
  random: number,
): Verdict {
  if (outcome.error === null) return { status: "sent" };
  const { statusCode } = outcome;
  const isRefusal = statusCode !== null && statusCode >= 400 && statusCode < 500;
  if (isRefusal && !PASSING_STATUSES.includes(statusCode)) {
    return { status: "failed", reason: reasonIn(outcome.responseBody) };
  }
  const waitMilliseconds = waitBeforeRetry(PAUSES_MILLISECONDS, attempt, outcome, random);
  if (waitMilliseconds === undefined) return { status: "failed", reason: "connector_unreachable" };
  return { status: "queued", waitMilliseconds };
}

/** The connector's own word for it, if its answer has one. */
function reasonIn(body: string | null): string {
  try {
    const { reason } = JSON.parse(body ?? "");
    if (typeof reason === "string" && REASON.test(reason)) return reason;
  } catch {
    // Not JSON, or cut off.
  }
  return "rejected_by_connector";
}
