import type { Error as ErrorBody } from "./generated/types.ts";
import type { ClientCode } from "./options.ts";

interface Details extends Partial<Omit<ErrorBody, "code">> {
  code: ErrorBody["code"] | ClientCode;
  status?: number;
  headers?: Headers;
  cause?: unknown;
}

/** A request that did not succeed, after its retries. */
export class SignpostError extends Error {
  override readonly name = "SignpostError";
  /** The answer's status; 0 where there was none. */
  readonly status: number;
  /** Stable, for programs: one of the API reference's, or of the client's own. */
  readonly code: ErrorBody["code"] | ClientCode;
  /** Messages by field, of a 422. */
  readonly errors: ErrorBody["errors"];
  /** Why a message cannot be sent, of `message_refused`. */
  readonly reason: ErrorBody["reason"];
  /** Quote it when you report a fault. */
  readonly requestId: string | undefined;
  /** The answer is the one that the first request with this Idempotency-Key got. */
  readonly replayed: boolean;
  /** How long the server asks to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** What all tries had: the same request sent again with it makes no second record. */
  idempotencyKey: string | undefined;

  constructor({ message, status = 0, code, errors, reason, headers, cause }: Details) {
    const fields = Object.entries(errors ?? {}).map(([name, said]) => ` ${name}: ${said?.[0]}`);
    super(`${status || code} ${message ?? code}${fields.join("")}`, cause ? { cause } : {});
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.reason = reason;
    this.requestId = headers?.get("X-Request-Id") ?? undefined;
    this.replayed = headers?.get("Idempotency-Replayed") === "true";
    this.retryAfterSeconds = secondsOf(headers?.get("Retry-After"));
  }
}

/** Retry-After is seconds, or a date where a proxy wrote it. */
function secondsOf(header: string | null | undefined): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** The error that an answer is, whoever sent it. */
export async function errorOf(response: Response): Promise<SignpostError> {
  const { status, headers } = response;
  const body = await response.json().catch(() => undefined);
  if (typeof body?.code === "string") return new SignpostError({ ...body, status, headers });
  const message = "Signpost did not answer this. Is baseUrl right?";
  return new SignpostError({ message, code: "unexpected_answer", status, headers });
}
