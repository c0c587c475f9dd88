const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;
const JITTER = 0.1;
const MAX_RETRY_AFTER = 12 * HOUR;

/** How a POST ended. */
export interface Outcome {
  statusCode: number | null;
  /** Null: taken. */
  error: string | null;
  responseBody: string | null;
  /** JSON of what {@link keptHeaders} keeps; nothing where nothing was answered. */
  responseHeaders?: string | null;
  durationMs: number;
  /** Milliseconds that the receiver asked to wait with 429 or 503. */
  retryAfter?: number;
  /** The receiver's `webhook-delivery` header. */
  instruction?: "disable" | "abort-message";
  /** There is no point in another attempt. */
  final?: boolean;
}

/**
 * How long to wait after the n-th failed attempt, in milliseconds; undefined: there is no further
 * one. `random` in [0, 1) spreads retries by a tenth either way.
 */
export function waitBeforeRetry(
  pausesMilliseconds: readonly number[],
  attempt: number,
  { retryAfter = 0 }: { retryAfter?: number },
  random: number,
): number | undefined {
  const pause = pausesMilliseconds[attempt - 1];
  if (pause === undefined) return undefined;
  const jittered = pause * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(jittered, Math.min(retryAfter, MAX_RETRY_AFTER)));
}

/** The milliseconds that a `Retry-After` header asks for, in seconds or as a date. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim()))
    return Math.min(Number(header) * SECOND, Number.MAX_SAFE_INTEGER);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
