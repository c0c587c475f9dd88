/** What the operator's overview takes from features. */
import type { Database } from "../../platform/db/client.ts";

/** The statement, for a batch, that counts records up to `most`: one row, `n`. */
export type CountUpTo = (db: Database, most: number) => D1PreparedStatement;
