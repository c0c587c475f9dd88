/** Deletes from R2 what no workspace has any more. Nothing else deletes there. */
import type { PlatformContext } from "../../../platform/context/context.ts";
import { findJobPlace, moveJobPlace } from "../../../platform/db/job-places.ts";
import { now } from "../../../platform/time.ts";
import { isOwnBucket } from "./file-bucket.ts";
import { findBucket } from "./file-store.ts";
import { claimOrphans, releaseClaims, takeOverClaims } from "./file-sweep.repository.ts";

const JOB = "sweep_files";
/** Contents are named so; what somebody else put into the bucket is not ours to delete. */
const NAME = /^[0-9a-f]{64}$/;
/** What R2 lists and deletes at once. */
const OBJECTS_A_MINUTE = 1000;
/** A content is stored before its row is: so old it has none that is still to come. */
const GRACE_MILLISECONDS = 24 * 60 * 60_000;
/** Longer than a job of the platform's may live, 15 minutes: what it claimed it deletes no more. */
const CLAIM_MILLISECONDS = 20 * 60_000;

/**
 * Goes through the bucket, a page a minute, round and round, and deletes what has been there for a
 * day and is no workspace's: deleted files, and what an upload left that was cut off.
 */
export async function sweepFiles({ env, db, log }: PlatformContext): Promise<void> {
  const bucket = findBucket(env);
  if (!bucket) return;
  if (!(await isOwnBucket(db, bucket))) {
    log.error("file_bucket_shared");
    return;
  }
  const time = now();
  const remove = async (contents: string[]) => {
    if (contents.length === 0) return;
    await bucket.delete(contents);
    await releaseClaims(db, contents);
    log.info("files_removed", { count: contents.length });
  };
  await remove(await takeOverClaims(db, time - CLAIM_MILLISECONDS, time, OBJECTS_A_MINUTE));
  const place = await findJobPlace(db, JOB);
  const page = await bucket.list({
    limit: OBJECTS_A_MINUTE,
    ...(place && { startAfter: place }),
  });
  const old = page.objects
    .filter(({ key, uploaded }) => NAME.test(key) && uploaded.getTime() < time - GRACE_MILLISECONDS)
    .map(({ key }) => key);
  if (old.length > 0) await remove(await claimOrphans(db, old, time));
  const next = page.truncated ? (page.objects.at(-1)?.key ?? "") : "";
  if (next !== place) await moveJobPlace(db, JOB, place, next);
}
