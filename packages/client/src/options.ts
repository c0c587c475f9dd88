/** What callers say of a request besides what is in it. */

export interface RequestOptions {
  /** Ends the request, its waits and its retries; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** How long one attempt may take, its answer's body included: 30 unless said. */
  timeoutSeconds?: number;
  /** How often it is tried again: 3 times unless said. */
  maxRetries?: number;
  /** Called with each answer, those that are tried again too. Its body is the client's to read. */
  onResponse?: (response: Pick<Response, "status" | "headers" | "url">) => void;
}

export interface KeyedOptions extends RequestOptions {
  /** What tells this request from others for 24 hours: one is made unless said. */
  idempotencyKey?: string;
}

export interface MatchOptions extends RequestOptions {
  /** The record's `revision` or ETag that you read, or `*` for any, as it is unless said. */
  ifMatch?: string;
}

/** Where a record is changed it must be said which: what others changed meanwhile would be lost. */
export interface ChangeOptions extends RequestOptions {
  /** The record's `revision` or ETag that you read, or `*` for any. */
  ifMatch: string;
}

export interface UploadOptions extends KeyedOptions {
  /** The file's media type; that of the Blob unless said. */
  contentType?: string;
}

export interface ClientOptions extends RequestOptions {
  /** Where Signpost is: `https://sign.example`. */
  baseUrl: string;
  /** A longer `Retry-After` is not waited for: 60 unless said. */
  maxWaitSeconds?: number;
  fetch?: typeof globalThis.fetch;
}

export type AnyOptions = UploadOptions & MatchOptions;

/** What the client itself says where the server said nothing. */
export type ClientCode =
  /** No answer came, or none that could be read to its end. */
  | "connection_failed"
  /** An attempt took longer than `timeoutSeconds`. */
  | "timeout"
  /** The answer to a first try was lost, and the record has changed since, maybe by that try. */
  | "outcome_unknown"
  /** Something that is not Signpost answered: a proxy, or a redirect. */
  | "unexpected_answer";

export type Upload = Blob | ArrayBuffer | Uint8Array | string;

/** What a function makes of a record: undefined leaves it as it is. */
export type Made<Change> = Change | undefined | Promise<Change | undefined>;

/** What is in an answer for the caller: `merged` is its `data` with what stands beside it. */
export type Answer = "data" | "merged" | "body" | "blob" | "nothing";

export interface Call {
  answer: Answer;
  query?: object | undefined;
  body?: unknown;
  file?: Upload;
  /** It takes an Idempotency-Key. */
  keyed?: boolean;
  /** It needs If-Match, and `*` is meant where none is given. */
  matched?: boolean;
}
