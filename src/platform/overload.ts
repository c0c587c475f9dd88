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
