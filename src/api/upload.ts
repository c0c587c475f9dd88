/** Files that are sent as a request's body. */
import { ApiError, invalid } from "./errors.ts";
import { readFormFile } from "./multipart.ts";
import type { BodyLimits } from "./request-body.ts";

/** A route whose body is a file: raw, or the field `file` of a form. */
export interface UploadSpec {
  maxBytes: number;
  /** Those that are described; what comes is known by its bytes. */
  mediaTypes: readonly string[];
  /** The component that each row of a text is, by the names of its columns. */
  row?: string;
  /** A file that is taken, where it is text. */
  example?: { mediaType: string; content: string };
}

/** What stands around a file in a form. */
const FORM_BYTES = 16 * 1024;
/** 10 MiB by a slow mobile connection. */
const MAX_READ_MILLISECONDS = 60_000;
/** Longer than a connection needs to find its way again; who hangs keeps others' room no longer. */
const MAX_SILENCE_MILLISECONDS = 10_000;
/** What an isolate holds of uploads at once, of 128 MB: each is there twice, as sent and as stored. */
const MOST_HELD_BYTES = 24 * 1024 * 1024;
/** And of one workspace: one of the largest, so that it leaves room for another's. */
const MOST_HELD_OF_ONE = 12 * 1024 * 1024;
const RETRY_SECONDS = 5;

let heldBytes = 0;
const heldByWorkspace = new Map<string, number>();

/** The limits of a body that a workspace sends; undefined: those of any body. */
export type LimitsOf = (workspaceId: string) => BodyLimits | undefined;

/** Does the work of a request whose body is an upload, or not; what its body took is free afterwards. */
export async function withBodyLimits<Result>(
  upload: UploadSpec | undefined,
  work: (limitsOf: LimitsOf) => Promise<Result>,
): Promise<Result> {
  if (!upload) return work(() => undefined);
  const own = { workspaceId: "", bytes: 0 };
  try {
    return await work((workspaceId) => ({
      bytes: upload.maxBytes + FORM_BYTES,
      milliseconds: MAX_READ_MILLISECONDS,
      silenceMilliseconds: MAX_SILENCE_MILLISECONDS,
      hold: (bytes) => {
        hold(workspaceId, bytes);
        own.workspaceId = workspaceId;
        own.bytes += bytes;
      },
    }));
  } finally {
    giveBack(own);
  }
}

/** @throws 503 when there is no room for so many bytes more */
function hold(workspaceId: string, bytes: number): void {
  const own = (heldByWorkspace.get(workspaceId) ?? 0) + bytes;
  if (heldBytes + bytes > MOST_HELD_BYTES || own > MOST_HELD_OF_ONE) {
    const message = "Too many files are being sent just now. Try again after Retry-After.";
    throw new ApiError("overloaded", { message, retryAfterSeconds: RETRY_SECONDS });
  }
  heldBytes += bytes;
  heldByWorkspace.set(workspaceId, own);
}

function giveBack({ workspaceId, bytes }: { workspaceId: string; bytes: number }): void {
  heldBytes -= bytes;
  const left = (heldByWorkspace.get(workspaceId) ?? 0) - bytes;
  if (left > 0) heldByWorkspace.set(workspaceId, left);
  else heldByWorkspace.delete(workspaceId);
}

/** The file that a body is, or holds. @throws 413, 422 */
export function fileOf({ maxBytes }: UploadSpec, headers: Headers, body: Uint8Array): Uint8Array {
  const contentType = headers.get("Content-Type") ?? "";
  const isForm = /^multipart\//i.test(contentType);
  const file = isForm ? readFormFile(body, contentType, "file") : body;
  if (file.length > maxBytes) throw tooLarge(maxBytes);
  if (file.length === 0) throw invalid("file", "Is empty.");
  return file;
}

/** @returns 413 */
export function tooLarge(maxBytes: number): ApiError {
  const message = `The file is larger than ${maxBytes / 1024 / 1024} MiB.`;
  return new ApiError("payload_too_large", { message });
}
