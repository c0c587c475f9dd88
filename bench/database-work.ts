/** What was asked of D1 since the start. A round trip is a statement that runs alone, or a batch. */
export interface DatabaseWork {
  statements: number;
  roundTrips: number;
  rowsWritten: number;
}

/** By whom: requests with what goes on behind their answers, lanes, and all else (queues, jobs). */
export interface WorkDone {
  requests: DatabaseWork;
  lanes: DatabaseWork;
  others: DatabaseWork;
  /** Of the lanes' own SQLite: rows by SQL, and keys and alarms, which are a row each. */
  laneStorage: { rowsWritten: number; keysWritten: number };
}

export type Worker = "requests" | "lanes" | "others";

export const WORK_PATH = "/bench/work";
