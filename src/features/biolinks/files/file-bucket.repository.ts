import { eq } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { fileBucketOwner } from "./files.table.ts";

/** Who this deployment is to its bucket: so it is the database's, whatever code is deployed. */
export async function findBucketOwner(db: Database): Promise<string> {
  const found = await db.select().from(fileBucketOwner).where(eq(fileBucketOwner.id, 1)).get();
  if (!found) throw new Error("The table file_bucket_owner is empty: a migration fills it.");
  return found.owner;
}
