/** What was asked of D1 since the start. A round trip is a statement that runs alone, or a batch. */
export interface DatabaseWork {
  statements: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Of objects' own SQLite: rows by SQL, and keys and alarms, which are a row each. */
export interface StorageWork {
  rowsRead: number;
  rowsWritten: number;
  keysWritten: number;
}

/** By whom: requests with what goes on behind their answers, lanes, and all else (queues, jobs). */
export interface WorkDone {
  requests: DatabaseWork;
  lanes: DatabaseWork;
  others: DatabaseWork;
  laneStorage: StorageWork;
  ledgerStorage: StorageWork;
  /** Calls and alarms of ledgers: what Cloudflare calls requests of an object. */
  ledgerCalls: number;
  /** Messages of clicks; operations as they are billed, three for each 64 KB; batches of the consumer. */
  clicks: { messages: number; bytes: number; operations: number; batches: number };
  /** Of the salts, in Workers KV. */
  saltReads: number;
}

export type Worker = "requests" | "lanes" | "others";

export const WORK_PATH = "/bench/work";
