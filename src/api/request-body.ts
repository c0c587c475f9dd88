import { toText } from "../platform/bytes.ts";
import { ApiError } from "./errors.ts";

export const MAX_BODY_BYTES = 256 * 1024;

/** The bytes of a body; undefined when there are more than 256 KiB of them. */
export async function readBody(request: Request): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array();
  if (Number(request.headers.get("Content-Length")) > MAX_BODY_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.byteLength;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** @throws 422 `malformed_body` for anything but a JSON object. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(toText(bytes));
  } catch {
    throw new ApiError("malformed_body");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ApiError("malformed_body");
  }
  return value as Record<string, unknown>;
}

/** The JSON object that a body is, if it is one. */
export function findJsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    return parseJsonObject(bytes);
  } catch {
    return undefined;
  }
}
