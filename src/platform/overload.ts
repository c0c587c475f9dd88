import type { Log } from "./log.ts";
import { now } from "./time.ts";

/** As D1 and Durable Objects say it. Whoever asks again at once gives them even more to do. */
const OVERLOADED =
  /(?:D1 DB|Durable Object) is overloaded|^D1_ERROR\b.*\boverloaded\b|requests queued|queued for too long|exceeded timeout/i;

/** Whether the database or a Durable Object refused because it has too much to do. */
export function isOverload(fault: unknown): boolean {
  for (let at = fault; at instanceof Error; at = at.cause) {
    if ("overloaded" in at && at.overloaded === true) return true;
    // A failed query's own message has its parameters in it: anybody's text.
    if (!("query" in at) && OVERLOADED.test(at.message)) return true;
  }
  return false;
}

/** After how many seconds a caller may try again: not all of them at the same time. */
export function overloadRetrySeconds(random = Math.random()): number {
  return 3 + Math.floor(random * 8);
}

/** The same for work that no caller waits for: half a minute to a minute. */
export function overloadPauseSeconds(random = Math.random()): number {
  return 30 + Math.floor(random * 31);
}

const TOLD_MILLISECONDS = 1000;
const refused = { count: 0, toldAt: 0 };

/**
 * Says that something was refused by overload: one line a second at most of an isolate, with how many
 * it stands for. Each request has a line of its own besides, with its code.
 */
export function tellOverload(log: Log, fields: Record<string, unknown>, time = now()): void {
  refused.count++;
  if (Math.abs(time - refused.toldAt) < TOLD_MILLISECONDS) return;
  log.warn("overloaded", { ...fields, refused: refused.count });
  refused.count = 0;
  refused.toldAt = time;
}
