import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import { createLog } from "../../../platform/log.ts";
import { isPlatformHost } from "../../../platform/platform-host.ts";
import type { Address } from "../../../platform/request-address.ts";
import { now } from "../../../platform/time.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { MissLimits, TooManyMisses } from "../../../visitor/addresses/miss-limits.ts";
import { findShared, share } from "../../../visitor/addresses/shared-cache.ts";
import { pageResponse } from "../../../visitor/pages.ts";
import { type ByteRange, rangeOf } from "./byte-range.ts";
import { findPublicFile, type PublicFile } from "./file-assets.repository.ts";
import { readContent } from "./file-content.ts";
import { FILE_TYPES } from "./file-types.ts";

const PATH = /^\/assets\/f\/([0-9a-f]{64})\.(jpg|png|webp|gif|avif|pdf)$/;
/** Who has it keeps it: it is named by its content. */
const IMMUTABLE = "public, max-age=31536000, immutable";
/** So long a data centre goes on serving what was deleted, or taken out of service. */
const KNOWN_SECONDS = 60;

const limits = new MissLimits("file");

/** Whether a path is one of the public files. */
export function isFileAssetPath(path: string): boolean {
  return path.startsWith("/assets/f/");
}

/**
 * A file, for anybody, on the platform's host and on those of the workspaces that have it. The
 * database is asked once a minute, host and data centre, R2 once a month; who tries addresses at
 * random is limited as who tries slugs is. Never throws.
 */
export async function serveFileAsset(request: Request, env: Env, url: Address): Promise<Response> {
  const [, sha256, extension] = PATH.exec(url.pathname) ?? [];
  if (!sha256) return pageResponse(request, { kind: "not_found" });
  if (request.method !== "GET" && request.method !== "HEAD") {
    return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
  }
  const host = isPlatformHost(env, url) ? null : hostNameOf(url);
  try {
    const file = await findKnown(env, request.headers, sha256, host);
    if (!file || FILE_TYPES[file.type] !== extension) {
      return pageResponse(request, { kind: "not_found" });
    }
    if (file.isGone) return pageResponse(request, { kind: "gone" });
    return await answer(request, env, sha256, file);
  } catch (error) {
    if (error instanceof TooManyMisses) {
      return pageResponse(request, { kind: "too_many_misses", waitSeconds: error.waitSeconds });
    }
    return pageResponse(request, { kind: "unavailable" }, error);
  }
}

/** What the data centre knows of a file for a minute, or the database. @throws TooManyMisses */
async function findKnown(
  env: Env,
  headers: Headers,
  sha256: string,
  host: string | null,
): Promise<PublicFile | undefined> {
  const name = `file ${host ?? ""}/${sha256}`;
  const known = await findShared<PublicFile & { until: number }>(env, name);
  if (known && known.until > now()) return known;
  const look = await limits.begin(env, headers, host ?? "");
  let found: PublicFile | undefined;
  try {
    found = await findPublicFile(env, sha256, host);
    look.ended(found !== undefined);
  } catch (error) {
    look.ended(true);
    throw error;
  }
  if (found) {
    const until = now() + KNOWN_SECONDS * 1000;
    waitUntil(share(env, name, { ...found, until }, KNOWN_SECONDS));
  }
  return found;
}

async function answer(
  request: Request,
  env: Env,
  sha256: string,
  file: PublicFile,
): Promise<Response> {
  const etag = `"${sha256}"`;
  const headers = headersOf(file, sha256, etag);
  const known = request.headers.get("If-None-Match");
  if (known !== null && (known.trim() === "*" || known.includes(etag))) {
    headers.delete("Content-Type");
    return new Response(null, { status: 304, headers });
  }
  const range = request.method === "GET" ? rangeOf(request.headers, file.bytes, etag) : undefined;
  if (range === "none") {
    headers.set("Content-Range", `bytes */${file.bytes}`);
    headers.set("Cache-Control", "no-store");
    headers.delete("Content-Type");
    return new Response(null, { status: 416, headers });
  }
  headers.set("Content-Length", String(range ? range.length : file.bytes));
  if (request.method === "HEAD") return new Response(null, { headers });
  const body = await readContent(env, sha256, file, range);
  if (!body) {
    createLog().error("file_content_missing", { record: sha256 });
    return pageResponse(request, { kind: "not_found" });
  }
  if (range) headers.set("Content-Range", contentRange(range, file.bytes));
  return new Response(body, { status: range ? 206 : 200, headers });
}

function contentRange({ offset, length }: ByteRange, bytes: number): string {
  return `bytes ${offset}-${offset + length - 1}/${bytes}`;
}

function headersOf({ type }: PublicFile, sha256: string, etag: string): Headers {
  const headers = new Headers({
    "Content-Type": type,
    "Cache-Control": IMMUTABLE,
    ETag: etag,
    "Accept-Ranges": "bytes",
    "X-Content-Type-Options": "nosniff",
    // Opened by itself it is a document of that host: it may do nothing there.
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Request-Id": crypto.randomUUID(),
  });
  // Safari shows a sandboxed PDF as an empty page: it is saved instead.
  if (type === "application/pdf") {
    headers.set("Content-Disposition", `attachment; filename="${sha256.slice(0, 12)}.pdf"`);
  }
  return headers;
}
