import type { DisabledReason } from "../endpoints/endpoints.table.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Pauses after the first, second, … failed attempt; after the last there is no further one. */
const RETRY_MILLISECONDS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];
const JITTER = 0.1;
const MAX_RETRY_AFTER = 12 * HOUR;
const PAUSE_AFTER_FAILING = 5 * DAY;

/** How an attempt ended. */
export interface Outcome {
  statusCode: number | null;
  /** Null: delivered. */
  error: string | null;
  responseBody: string | null;
  durationMs: number;
  /** Milliseconds that the receiver asked to wait with 429 or 503. */
  retryAfter?: number;
  /** The receiver's `webhook-delivery` header. */
  instruction?: "disable" | "abort-message";
  /** There is no point in another attempt. */
  final?: boolean;
}

/** What follows from an attempt, for the delivery and for its target. */
export interface Consequence {
  status: "delivered" | "pending" | "failed";
  nextAttemptAt: number | null;
  pause: DisabledReason | null;
}

/** Decides what follows from an attempt. `random` in [0, 1) spreads retries by a tenth either way. */
export function consequenceOf(
  outcome: Outcome,
  attempt: { number: number; failingSince: number | null },
  now: number,
  random: number,
): Consequence {
  if (outcome.error === null) {
    const pause = outcome.instruction === "disable" ? "disabled_by_receiver" : null;
    return { status: "delivered", nextAttemptAt: null, pause };
  }
  const pause = pauseReason(outcome, attempt.failingSince, now);
  const wait = RETRY_MILLISECONDS[attempt.number - 1];
  if (pause || outcome.final || outcome.instruction || wait === undefined) {
    return { status: "failed", nextAttemptAt: null, pause };
  }
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  const asked = Math.min(outcome.retryAfter ?? 0, MAX_RETRY_AFTER);
  return { status: "pending", nextAttemptAt: now + Math.round(Math.max(jittered, asked)), pause };
}

function pauseReason(
  outcome: Outcome,
  failingSince: number | null,
  now: number,
): DisabledReason | null {
  if (outcome.statusCode === 410) return "gone";
  if (outcome.instruction === "disable") return "disabled_by_receiver";
  if (failingSince !== null && failingSince <= now - PAUSE_AFTER_FAILING) return "failing";
  return null;
}

/** The milliseconds that a `Retry-After` header asks for, in seconds or as a date. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
