/** What is to be told of the scans that a ledger has counted. */
import type { Context } from "../../../platform/context/context.ts";

/** People's scans of one QR code in an hour. */
export interface ScannedCode {
  id: string;
  scans: number;
  /** Those among the day's (UTC) visitors of the code who first came in that hour. */
  visitors: number;
}

/** An hour that is over, and the codes that were scanned in it: none of it changes any more. */
export interface ScannedHour {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  codes: ScannedCode[];
  /** Of a workspace whose ledger has split: another object may tell of the same hour and code. */
  isOfShard: boolean;
}

/** Tells of an hour's scans; again is safe. @throws when it is to be told again */
export type TellScans = (ctx: Context, hour: ScannedHour) => Promise<void>;
