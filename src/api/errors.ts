import { isStorageFull } from "../platform/db/faults.ts";
import { isOverload, overloadRetrySeconds } from "../platform/overload.ts";

/** Every error code of the API with its status and what it says unless a place says it better. */
export const ERRORS = {
  unauthenticated: [401, "A valid API key is required."],
  forbidden: [403, "This key may not do this."],
  workspace_suspended: [403, "This workspace is suspended."],
  not_found: [404, "Not found."],
  method_not_allowed: [405, "This path has other methods: see Allow."],
  conflict: [409, "The request conflicts with the current state."],
  idempotency_key_reused: [409, "This Idempotency-Key was used for a different request."],
  idempotency_in_progress: [409, "A request with this Idempotency-Key is still running."],
  idempotency_answer_gone: [
    409,
    "The request with this Idempotency-Key succeeded, but its answer is not kept any more: too many came after it. It was not run again: look at what it made.",
  ],
  precondition_failed: [412, "The record has changed: read it again and use its new ETag."],
  payload_too_large: [413, "The body is larger than 256 KiB."],
  validation_failed: [422, "The given data was invalid."],
  malformed_body: [422, "The body must be a JSON object in UTF-8."],
  storage_full: [
    422,
    "The workspace stores as much as its plan allows: delete something, or move to a larger plan.",
  ],
  precondition_required: [428, "An If-Match header with the record's ETag is required."],
  message_refused: [422, "The message cannot be sent."],
  unknown_event: [422, "There is no such event."],
  invalid_target_url: [422, "The target URL may not be sent to."],
  too_many_hooks: [422, "The workspace has as many hooks as it may have."],
  automation_not_connected: [403, "Automation is not available on this workspace."],
  rate_limited: [429, "Too many requests."],
  internal: [500, "Something went wrong on our side. Quote the request id when you report it."],
  not_configured: [503, "Whoever runs this Signpost has not set up what this needs."],
  overloaded: [503, "Too much is asked of us just now. Try again after Retry-After."],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Messages by field; nested fields are named with dots. */
export type FieldErrors = Record<string, string[]>;

interface ErrorDetails {
  message?: string | undefined;
  errors?: FieldErrors;
  /** Why a message cannot be sent. */
  reason?: string;
  retryAfterSeconds?: number | undefined;
}

/** A refusal that the caller is told of: thrown anywhere, answered in one place. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly errors: FieldErrors | undefined;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? ERRORS[code][1]);
    this.code = code;
    this.errors = details.errors;
    this.reason = details.reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  get status(): number {
    return ERRORS[this.code][0];
  }

  toResponse(): Response {
    const { code, message, errors, reason } = this;
    const headers: Record<string, string> = {};
    if (this.retryAfterSeconds) headers["Retry-After"] = String(this.retryAfterSeconds);
    if (this.status === 401) headers["WWW-Authenticate"] = "Bearer";
    return Response.json(
      { message, code, ...(errors && { errors }), ...(reason && { reason }) },
      { status: this.status, headers },
    );
  }
}

/** What the caller is told of anything that was thrown. */
export function toApiError(fault: unknown): ApiError {
  if (fault instanceof ApiError) return fault;
  if (isStorageFull(fault)) return new ApiError("storage_full");
  if (!isOverload(fault)) return new ApiError("internal");
  return new ApiError("overloaded", { retryAfterSeconds: overloadRetrySeconds() });
}

/** A 422 about one field. */
export function invalid(field: string, message: string): ApiError {
  return new ApiError("validation_failed", { errors: { [field]: [message] } });
}
