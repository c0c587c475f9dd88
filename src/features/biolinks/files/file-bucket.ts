/** Whose the bucket is: two deployments that shared one would delete each other's files. */
import type { Database } from "../../../platform/db/client.ts";
import { findBucketOwner } from "./file-bucket.repository.ts";

/** The object that says it, put by whoever comes first. Contents are named otherwise. */
const MARK = "signpost-owner";

/** Whether the bucket is this deployment's, which it becomes when it is nobody's. @throws R2's faults */
export async function isOwnBucket(db: Database, bucket: R2Bucket): Promise<boolean> {
  const own = await findBucketOwner(db);
  const mark = await bucket.get(MARK);
  if (mark) return (await mark.text()) === own;
  const made = await bucket.put(MARK, own, { onlyIf: { etagDoesNotMatch: "*" } });
  if (made) return true;
  const others = await bucket.get(MARK);
  return (await others?.text()) === own;
}
