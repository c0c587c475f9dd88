import type { Outcome } from "../platform/outbound/retry-policy.ts";
import type { Consequence } from "./retry-policy.ts";

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
