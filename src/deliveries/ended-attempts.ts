/** What ended attempts, as they are noted, say of their target. */
import { INTERNAL_ERROR, INTERRUPTED, PAYLOAD_PURGED, SECRET_UNREADABLE } from "./retry-policy.ts";
import type { EndedAttempt } from "./targets.ts";

/** The name of the event of a delivery that failed for good: none is made of a delivery of it. */
export const DELIVERY_EXHAUSTED = "workspace.delivery.exhausted";

const ENDPOINT_PAUSED = "endpoint_paused";
/** Errors that say nothing of the receiver: nothing was sent, or the fault is ours. */
const NOT_OF_RECEIVER: readonly (string | null)[] = [
  ENDPOINT_PAUSED,
  PAYLOAD_PURGED,
  INTERNAL_ERROR,
  SECRET_UNREADABLE,
  INTERRUPTED,
];

/** Whether an attempt says anything of its receiver. */
export function isOfReceiver({ error }: EndedAttempt): boolean {
  return !NOT_OF_RECEIVER.includes(error);
}

/** What the receiver of some attempts did: all that it can be blamed for failed, or one did not. */
export function conductOf(ended: EndedAttempt[]): "well" | "failing" | "unknown" {
  if (ended.some(({ error }) => error === null)) return "well";
  return ended.some(isOfReceiver) ? "failing" : "unknown";
}

/**
 * The attempt after which nothing more is to be sent to the target, if there is one: of several the
 * one that began last, as an earlier one may be of before the target was changed.
 */
export function findStopping(ended: EndedAttempt[]): EndedAttempt | undefined {
  const conduct = conductOf(ended);
  // It was judged by what was known when it began: another may have ended well since.
  return ended
    .filter(({ stop }) => stop !== null && (stop !== "failing" || conduct === "failing"))
    .reduce<EndedAttempt | undefined>(
      (last, one) => (last && last.startedAt > one.startedAt ? last : one),
      undefined,
    );
}

/**
 * Whether an attempt was the last of a delivery that its owner wants to hear of. Not of one that
 * told of another: two targets that are gone would tell of each other for ever.
 */
export function isExhausted({ status, test, error, isErased, event }: EndedAttempt): boolean {
  // One that waited until its payload went is one that its owner wanted sent.
  const isUnwanted = error === ENDPOINT_PAUSED || (error === PAYLOAD_PURGED && isErased);
  return status === "failed" && !test && !isUnwanted && event !== DELIVERY_EXHAUSTED;
}
