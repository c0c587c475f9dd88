/** What comes of something in time; undefined if nothing has by then. */
export function inTime<Value>(
  what: Promise<Value>,
  milliseconds: number,
): Promise<Value | undefined> {
  return Promise.race([what, scheduler.wait(milliseconds).then(() => undefined)]);
}
