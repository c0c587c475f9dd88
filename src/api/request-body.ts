import { ApiError } from "./errors.ts";

export const MAX_BODY_BYTES = 256 * 1024;
/** As much as is taken, for nothing, from whoever sends too much, or to where nothing is read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const MAX_UNREAD_MILLISECONDS = 5000;
/** Else whoever sends bodies that never end fills the memory with them, without a key. */
const MAX_READ_MILLISECONDS = 15_000;

/** Skips a byte order mark, as JSON parsers may, and replaces nothing. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** How large a body may be, and how long it may take. */
export interface BodyLimits {
  bytes: number;
  milliseconds: number;
  /** How long it may pause; as long as it may take unless said. */
  silenceMilliseconds?: number;
  /** Told of bytes before they are kept. @throws when there is no room for them */
  hold?: (bytes: number) => void;
}

const LIMITS: BodyLimits = { bytes: MAX_BODY_BYTES, milliseconds: MAX_READ_MILLISECONDS };
const FIRST_ROOM = 64 * 1024;

/**
 * The bytes of a body, of a GET none; undefined when there are more of them than may be.
 * @throws 422 when it breaks off, since whoever sent it has gone, or is not there in time
 */
export async function readBody(
  request: Request,
  limits: BodyLimits = LIMITS,
): Promise<Uint8Array | undefined> {
  if (!request.body || isRead(request)) return new Uint8Array();
  if (Number(request.headers.get("Content-Length")) > limits.bytes) return undefined;
  let first: Uint8Array | undefined;
  let bytes = new Uint8Array();
  let length = 0;
  // Not `for await`: to leave that loop cancels the stream, and with it the connection.
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const patience = patienceOf(limits.milliseconds);
  let isWaiting = true;
  try {
    for (;;) {
      isWaiting = true;
      const read = await readSoon(reader, patience, limits);
      isWaiting = false;
      if (read.done) return first ?? bytes.subarray(0, length);
      const { value } = read;
      const end = length + value.byteLength;
      if (end > limits.bytes) return undefined;
      limits.hold?.(value.byteLength);
      if (length === 0) first = value;
      else {
        // Doubled each time: chunks that are kept one by one take far more than they hold.
        if (end > bytes.length) bytes = widened(first ?? bytes, length, end, limits.bytes);
        bytes.set(value, length);
        first = undefined;
      }
      length = end;
    }
  } finally {
    patience.stop();
    // What is left is for `drainBody`, unless a read is still under way.
    if (!isWaiting) reader.releaseLock();
  }
}

/** What comes next. @throws 422 when the body breaks off, or is too slow */
async function readSoon(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  whole: Patience,
  limits: BodyLimits,
) {
  const pause = limits.silenceMilliseconds ? patienceOf(limits.silenceMilliseconds) : whole;
  try {
    const read = reader.read().catch(breakOff);
    const come = await Promise.race([read, whole.ended, pause.ended]);
    if (!come) throw tooSlow(limits);
    return come;
  } finally {
    if (pause !== whole) pause.stop();
  }
}

function widened(bytes: Uint8Array, length: number, needed: number, most: number) {
  const wide = new Uint8Array(Math.min(Math.max(FIRST_ROOM, 2 * bytes.length, needed), most));
  wide.set(bytes.subarray(0, length));
  return wide;
}

function tooSlow({ milliseconds, silenceMilliseconds }: BodyLimits): ApiError {
  const pause = silenceMilliseconds ? `, or paused for ${silenceMilliseconds / 1000}` : "";
  const message = `The body was not there within ${milliseconds / 1000} seconds${pause}.`;
  return new ApiError("malformed_body", { message });
}

function breakOff(): never {
  throw new ApiError("malformed_body");
}

/** `ended` comes true after so long, if it is not stopped before. */
interface Patience {
  ended: Promise<undefined>;
  stop: () => void;
}

function patienceOf(milliseconds: number): Patience {
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
