const TRANSIENT =
  /network connection lost|object to be reset|code was updated|internal error|overloaded/i;
const PAUSES_MILLISECONDS = [20, 100];

/** Runs a read, or a write that may run twice, again when D1 lost it on the way. */
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

function isTransient(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (TRANSIENT.test(at.message) && !("query" in at)) return true;
  }
  return false;
}
