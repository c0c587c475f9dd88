import { ApiError } from "./errors.ts";

export const MAX_BODY_BYTES = 256 * 1024;
/** As much as is taken, for nothing, from whoever sends too much, or to where nothing is read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const MAX_UNREAD_MILLISECONDS = 5000;
/** Else whoever sends bodies that never end fills the memory with them, without a key. */
const MAX_READ_MILLISECONDS = 15_000;

/** Skips a byte order mark, as JSON parsers may, and replaces nothing. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * The bytes of a body, of a GET none; undefined when there are more than 256 KiB of them.
 * @throws 422 when it breaks off, since whoever sent it has gone, or is not there after 15 seconds
 */
export async function readBody(request: Request): Promise<Uint8Array | undefined> {
  if (!request.body || isRead(request)) return new Uint8Array();
  if (Number(request.headers.get("Content-Length")) > MAX_BODY_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not `for await`: to leave that loop cancels the stream, and with it the connection.
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const patience = patienceOf(MAX_READ_MILLISECONDS);
  try {
    for (;;) {
      const read = await Promise.race([reader.read().catch(breakOff), patience.ended]);
      if (!read) throw new ApiError("malformed_body", { message: TOO_SLOW });
      if (read.done) break;
      length += read.value.byteLength;
      if (length > MAX_BODY_BYTES) {
        reader.releaseLock();
        return undefined;
      }
      chunks.push(read.value);
    }
  } finally {
    patience.stop();
  }
  reader.releaseLock();
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

const TOO_SLOW = `The body was not there within ${MAX_READ_MILLISECONDS / 1000} seconds.`;

function breakOff(): never {
  throw new ApiError("malformed_body");
}

/** `ended` comes true after so long, if it is not stopped before. */
function patienceOf(milliseconds: number): { ended: Promise<undefined>; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const ended = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return { ended, stop: () => clearTimeout(timer) };
}

/** Whether a request only reads, so that a body of it means nothing. */
function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Takes in what was left unread of a body. Else the connection is closed upon a client that still
 * sends: it loses the answer, and a proxy in between answers 500 or 502; that of `wrangler dev` does.
 */
export async function drainBody(
  { body }: Request,
  maxBytes: number = MAX_UNREAD_BYTES,
): Promise<void> {
  if (!body || body.locked) return;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const patience = patienceOf(MAX_UNREAD_MILLISECONDS);
  try {
    for (let length = 0; length < maxBytes; ) {
      const read = await Promise.race([reader.read(), patience.ended]);
      if (!read || read.done) return;
      length += read.value.byteLength;
    }
  } catch {
    // Whoever sent it has gone.
  } finally {
    patience.stop();
  }
}

/** @throws 422 `malformed_body` for anything but a JSON object in UTF-8. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
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
