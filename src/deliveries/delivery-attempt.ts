import type { Outcome } from "../platform/outbound/retry-policy.ts";
import { type Consequence, consequenceOfInterruption, INTERRUPTED } from "./retry-policy.ts";

/** A delivery that is due, with all that it takes to attempt it. */
export interface DueDelivery {
  id: string;
  workspaceId: string;
  /** Of the attempt that is to be made. */
  number: number;
  eventId: string;
  event: string;
  channel: string;
  test: boolean;
  /** Whether somebody asked for this attempt. */
  manual: boolean;
  occurredAt: number;
  /** JSON; null once purged, or when the contact that it tells of is erased. */
  data: string | null;
  /** Of one without data: its contact was erased. Journals of before 2026-11-27 do not say. */
  isErased?: boolean;
}

/** An attempt that the lane has begun, without the payload that it sends. */
export interface BegunAttempt extends Omit<DueDelivery, "data" | "occurredAt"> {
  startedAt: number;
}

/** How an attempt ended, and what follows from it. */
export interface Attempted {
  outcome: Outcome;
  consequence: Consequence;
}

export interface FinishedAttempt extends BegunAttempt, Attempted {
  endedAt: number;
}

/** So many attempts are brought to the database at once, or so much of what was answered: */
export const MOST_BROUGHT = 100;
/** a statement's parameter may have 2 MB, and a character three bytes. */
const MOST_CHARACTERS = 500_000;

/** The first of the attempts that are over, as many as go to the database at once; never none. */
export function toBring(finished: FinishedAttempt[]): FinishedAttempt[] {
  let characters = 0;
  const first = finished.slice(0, MOST_BROUGHT);
  const full = first.findIndex((one) => {
    characters += JSON.stringify(one).length;
    return characters > MOST_CHARACTERS;
  });
  return full === -1 ? first : first.slice(0, Math.max(full, 1));
}

/** An attempt that was under way when its lane died. */
export function cutOff(attempt: BegunAttempt, time: number): FinishedAttempt {
  const durationMs = Math.max(time - attempt.startedAt, 0);
  const outcome = { statusCode: null, error: INTERRUPTED, responseBody: null, durationMs };
  const consequence = consequenceOfInterruption(attempt.number, time);
  return { ...attempt, outcome, consequence, endedAt: time };
}
