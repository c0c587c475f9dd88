/** What a route is, and what goes in and out of its handler: types alone. */
import type { z } from "@hono/zod-openapi";
import type { ErrorCode } from "./errors.ts";
import type { ExpectedRevision } from "./etag.ts";
import type { UploadSpec } from "./upload.ts";

type NoFields = z.ZodObject<Record<never, never>>;
export type SuccessStatus = 200 | 201 | 202 | 204;

/** A route as data: what it takes and answers. Validation, types and the description share it. */
export interface RouteSpec<
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodNever,
  Answer extends z.ZodType = z.ZodUndefined,
  Revised extends boolean = false,
  Preview extends z.ZodType = z.ZodNever,
> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** As in OpenAPI: `/api/v1/biolinks/links/{link}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The body is a file, and no JSON. */
  upload?: UploadSpec;
  /** The route needs `If-Match`, or honours it. */
  ifMatch?: boolean | "optional";
  success: {
    status: SuccessStatus;
    description: string;
    schema?: Answer;
    /** An example of the answer, where those beside the schemas do not make one that is right. */
    example?: unknown;
    /** The answer names the record's revision. */
    etag?: Revised;
    /** It always holds what the revision does not cover: never 304. */
    holdsMore?: boolean;
    /** What a 200 means where success is a 201: the record was there already. */
    existing?: string;
    /** What a 200 tells, where success is a 202, of what would be done and was not. */
    preview?: { description: string; schema: Preview };
    /** It answers a file of one of these media types, not JSON. */
    files?: Readonly<Record<string, DescribedFile>>;
  };
  /** Errors besides those that follow from the fields above and from who may call. */
  errors?: ErrorCode[];
}

/** What a handler answers: what the route's success schema says, checked by the compiler. */
export type HandlerAnswer<
  Answer extends z.ZodType,
  Revised extends boolean,
  Preview extends z.ZodType = z.ZodNever,
> = Done<Answer, Revised> | (Preview extends z.ZodNever ? never : { preview: z.input<Preview> });

/** What is in a file of a media type. */
export interface DescribedFile {
  description: string;
  /** As much of one as shows what it is like, where it is text. */
  example?: string;
  /** The component that each of its rows is, by the names of its columns. */
  row?: string;
}

/** An answer that is no JSON: an image, an export. With a name, browsers save it under that. */
export interface AnsweredFile {
  mediaType: string;
  content: BodyInit;
  name?: string;
}

type Done<Answer extends z.ZodType, Revised extends boolean> = (Answer extends z.ZodUndefined
  ? { body?: undefined; file?: AnsweredFile }
  : { body: z.input<Answer> }) &
  (Revised extends true ? { revision: string } : { revision?: undefined }) & {
    /** The record was there already: 200 instead of the route's status. */
    existing?: boolean;
    /** This once it holds what the revision does not cover, which a 304 would hide. */
    holdsMore?: boolean;
  };

/** An answer as it is sent, and remembered for a replay. */
export interface ApiResult {
  status: SuccessStatus;
  body?: unknown;
  file?: AnsweredFile;
  /** Answered as `ETag`; a GET compares it with `If-None-Match`, unless the answer holds more. */
  revision?: string;
  holdsMore?: boolean;
}

/** A request as handlers see it. */
export interface ApiRequest<Ctx, Params, Query, Body> {
  ctx: Ctx;
  params: Params;
  /** The query, validated when it is read: after the record is found. @throws 422 */
  readonly query: Query;
  /** The validated body. Read it after the record is found and its revision matched. @throws 422 */
  body(): Body;
  /** The file that the body is, or holds, where the route takes one. @throws 413, 422 */
  file(): Uint8Array;
  /** The body as it came, before it is validated; undefined if it is no JSON object. */
  peekBody(): Record<string, unknown> | undefined;
  /** @throws 428, 412 */
  expectRevision(current: string): ExpectedRevision;
  /** As {@link expectRevision}, where `If-Match` may be left out. @throws 412 */
  expectRevisionIfSent(current: string): ExpectedRevision;
}
