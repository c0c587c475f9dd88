/** How often calls of one shape came, and how long they held the database, in milliseconds. */
export interface Held {
  count: number;
  total: number;
  longest: number;
  rowsRead: number;
  rowsWritten: number;
}

const SHOWN = 8;

/** Those that held it longest, by whose and what they are: a call's longest statement. */
export function printSlowest(calls: Record<string, Held>): void {
  for (const by of ["total", "longest"] as const) {
    console.log(`calls that held D1, by ${by} time:`);
    const sorted = Object.entries(calls).toSorted(([, a], [, b]) => b[by] - a[by]);
    for (const [shape, { count, total, longest, rowsRead, rowsWritten }] of sorted.slice(
      0,
      SHOWN,
    )) {
      console.log(
        `  ${total.toFixed(0)} ms, longest ${longest.toFixed(0)} ms, ${count} calls, ${rowsRead} rows read, ${rowsWritten} written: ${shape}`,
      );
    }
  }
}
