import { isOverload } from "../overload.ts";

const TRANSIENT = /network connection lost|object to be reset|code was updated|internal error/i;
const PAUSES_MILLISECONDS = [20, 100];

/**
 * Runs a read, or a write that may run twice, again when D1 lost it on the way. One that D1
 * refused because it has too much to do is not asked again.
 */
export async function retryTransient<T>(run: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MILLISECONDS) {
    try {
      return await run();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await scheduler.wait(pause);
    }
  }
  return run();
}

/** Whether D1 lost something on the way: the same may go well later. */
export function isTransient(error: unknown): boolean {
  if (isOverload(error)) return false;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (TRANSIENT.test(at.message) && !("query" in at)) return true;
  }
  return false;
}
