/**
 * Lets the isolate's other requests have their turn, for a millisecond. A request that works on
 * many records calls it after each part: what only awaits promises or the database may keep the
 * thread to itself until it ends.
 */
export function letOthersIn(): Promise<void> {
  return scheduler.wait(1);
}

/** Like `map`, with a turn for others after every so many, `rest` milliseconds long. */
export async function mapInTurns<Item, Result>(
  items: Item[],
  itemsATurn: number,
  map: (item: Item, at: number) => Result,
  rest = 1,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % itemsATurn === 0) await scheduler.wait(rest);
    results.push(map(item, at));
  }
  return results;
}
