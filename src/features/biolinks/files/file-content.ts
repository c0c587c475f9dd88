/** The bytes of public files: from the data centre's cache, or else from R2. */
import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import type { ByteRange } from "./byte-range.ts";
import type { PublicFile } from "./file-assets.repository.ts";
import { findBucket } from "./file-store.ts";

/** Whether it may be served is asked apart from it, so it may stay. */
const SHARED_SECONDS = 30 * 24 * 60 * 60;

/** What is being brought into the cache by this isolate. */
const underway = new Set<string>();

/** A content, or a part of it; undefined when R2 has it not. @throws without a bucket, or R2's faults */
export async function readContent(
  env: Env,
  sha256: string,
  file: PublicFile,
  range: ByteRange | undefined,
): Promise<ReadableStream | undefined> {
  const key = keyOf(env, sha256);
  const shared = await caches.default.match(askingFor(key, range)).catch(() => undefined);
  if (shared?.body && shared.status === (range ? 206 : 200)) return shared.body;
  await shared?.body?.cancel();
  const bucket = findBucket(env);
  if (!bucket) throw new Error("The binding FILES is missing.");
  const object = await bucket.get(sha256, range && { range });
  if (!object) return undefined;
  // Read once more: a copy in memory would wait for the slowest visitor.
  if (!shared) waitUntil(bringIntoCache(bucket, key, sha256, file));
  return object.body;
}

async function bringIntoCache(
  bucket: R2Bucket,
  key: string,
  sha256: string,
  { type, bytes }: PublicFile,
): Promise<void> {
  if (underway.has(key)) return;
  underway.add(key);
  try {
    const object = await bucket.get(sha256);
    if (!object) return;
    const headers = {
      "Content-Type": type,
      "Content-Length": String(bytes),
      "Cache-Control": `public, max-age=${SHARED_SECONDS}`,
    };
    await caches.default.put(key, new Response(object.body, { headers }));
  } catch {
    // Then the next visitor's comes from R2 as well.
  } finally {
    underway.delete(key);
  }
}

/** The cache answers a part of what it has by itself. */
function askingFor(key: string, range: ByteRange | undefined): Request {
  if (!range) return new Request(key);
  const last = range.offset + range.length - 1;
  return new Request(key, { headers: { Range: `bytes=${range.offset}-${last}` } });
}

/** Where no visitor can ask for it: the API answers there. */
function keyOf({ PLATFORM_HOST }: Env, sha256: string): string {
  return `https://${PLATFORM_HOST || "localhost"}/api/_visitor/files/v1/${sha256}`;
}
