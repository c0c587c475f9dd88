import type { StorageWork } from "../database-work.ts";

type Call = (...given: unknown[]) => unknown;
type Cursor = { rowsRead: number };

/** Cursors that may still be read from; the rows of those before are final. Each is asked each time. */
const OPEN_CURSORS = 5;

/** Has a Durable Object's storage count what it does. */
export function countStorage(storage: DurableObjectStorage, work: StorageWork): void {
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  const open: { cursor: Cursor; counted: number }[] = [];
  sql.exec = ((...given: Parameters<typeof exec>) => {
    const cursor = exec(...given);
    // A write is done with its first step, so that its rows are known when `exec` is back.
    work.rowsWritten += cursor.rowsWritten;
    open.push({ cursor, counted: 0 });
    if (open.length > OPEN_CURSORS) open.shift();
    for (const one of open) {
      const { rowsRead } = one.cursor;
      work.rowsRead += rowsRead - one.counted;
      one.counted = rowsRead;
    }
    return cursor;
  }) as typeof exec;
  const writers: [object, string][] = [
    [kv, "put"],
    [kv, "delete"],
    [storage, "setAlarm"],
    [storage, "deleteAlarm"],
  ];
  for (const [owner, name] of writers) {
    const call = (Reflect.get(owner, name) as Call).bind(owner);
    const counting = (...given: unknown[]) => {
      work.keysWritten++;
      return call(...given);
    };
    Object.defineProperty(owner, name, { value: counting });
  }
}
