/**
 * The local runtime counts its rate limits in minutes of the clock: a count that is begun late in
 * one is cut at its end. Waits for the next minute then, by the real clock.
 */
export async function untilEarlyInMinute(): Promise<void> {
  const second = new Date().getUTCSeconds();
  if (second > 40) await new Promise((resolve) => setTimeout(resolve, (61 - second) * 1000));
}
