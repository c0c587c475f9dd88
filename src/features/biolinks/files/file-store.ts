/** The bytes of files, in R2: one object for each content, named by it. */
import { ApiError } from "../../../api/errors.ts";
import type { Env } from "../../../platform/config.ts";
import type { Context } from "../../../platform/context/context.ts";
import { createLog } from "../../../platform/log.ts";
import { isOwnBucket } from "./file-bucket.ts";
import type { FileType } from "./file-types.ts";

const MISSING =
  "This Signpost has no place for files: whoever runs it has to make an R2 bucket, and bind it as FILES in wrangler.toml.";
const FOREIGN =
  "The R2 bucket bound as FILES is another Signpost's: whoever runs this one has to make one of its own.";
const RETRY_SECONDS = 5;
/** Nobody makes a bucket sooner. */
const SET_UP_SECONDS = 3600;

/** The bucket, if there is one: an account without R2 runs everything else. */
export function findBucket({ FILES }: Env): R2Bucket | undefined {
  return FILES as R2Bucket | undefined;
}

/** Those that this isolate knows to be this deployment's. */
const own = new WeakSet<R2Bucket>();

/** The bucket to store files in. @throws 503 when there is none, or it is another deployment's */
export async function getBucket({ env, db, log }: Context): Promise<R2Bucket> {
  const bucket = findBucket(env);
  if (!bucket) throw notConfigured(MISSING);
  if (own.has(bucket)) return bucket;
  const isOwn = await isOwnBucket(db, bucket).catch((fault: unknown) => {
    log.warn("file_not_stored", { fault });
    throw notStored();
  });
  if (!isOwn) throw notConfigured(FOREIGN);
  own.add(bucket);
  return bucket;
}

function notConfigured(message: string): ApiError {
  return new ApiError("not_configured", { message, retryAfterSeconds: SET_UP_SECONDS });
}

function notStored(): ApiError {
  const message = "The file could not be stored. Try again after Retry-After.";
  return new ApiError("overloaded", { message, retryAfterSeconds: RETRY_SECONDS });
}

export interface Content {
  sha256: string;
  type: FileType;
  bytes: Uint8Array;
}

/** Stores a content, also where it stands already: that makes it young again. @throws 503 */
export async function putContent(
  { log }: Context,
  bucket: R2Bucket,
  { sha256, type, bytes }: Content,
): Promise<void> {
  try {
    await bucket.put(sha256, bytes, { sha256, httpMetadata: { contentType: type } });
  } catch (fault) {
    log.warn("file_not_stored", { fault });
    throw notStored();
  }
}

/** Stores a content that has a row, if it does not stand: a removal may have taken it. @throws 503 */
export async function putContentBack(
  ctx: Context,
  bucket: R2Bucket,
  content: Content,
): Promise<void> {
  const stored = await bucket.head(content.sha256).catch((fault: unknown) => {
    ctx.log.warn("file_not_stored", { fault });
    throw notStored();
  });
  if (!stored) await putContent(ctx, bucket, content);
}

/** A content as a whole; undefined when it is not there, or there is no bucket. @throws 503 */
export async function readContent(env: Env, sha256: string): Promise<Uint8Array | undefined> {
  try {
    const object = await findBucket(env)?.get(sha256);
    return object ? new Uint8Array(await object.arrayBuffer()) : undefined;
  } catch (fault) {
    createLog().warn("file_not_read", { fault });
    const message = "A file could not be read. Try again after Retry-After.";
    throw new ApiError("overloaded", { message, retryAfterSeconds: RETRY_SECONDS });
  }
}
