/** What the process of the receivers is told; it answers each order under its number. */
export type ReceiverOrder =
  | { kind: "open" }
  | { kind: "hang" | "recover"; receiver: number }
  /** Answered with null until each has so many. */
  | { kind: "report"; receivers: number[]; after: number; count: number };

/** What a receiver got of the events whose number is higher than was asked. */
export interface Receipts {
  /** From publishing to the first receipt, in milliseconds, of each event. */
  lags: number[];
  /** When the last first receipt came, by the machine's clock. */
  lastAt: number;
  /** When each came, in order. */
  times: number[];
  /** POSTs of events that it had already. */
  repeated: number;
}
