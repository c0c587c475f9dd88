import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { retryTransient } from "../platform/db/retry.ts";
import type { Api, ApiEnv } from "./api.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import { type ExpectedRevision, expectRevision, isKnown, toEtag } from "./etag.ts";
import { errorResponses } from "./openapi-errors.ts";
import { type AnswerHeaders, headersOf } from "./openapi-headers.ts";
import { findJsonObject, parseJsonObject } from "./request-body.ts";
import { isDecodable, validateQuery } from "./request-query.ts";
import { validate } from "./validation.ts";

type NoFields = z.ZodObject<Record<never, never>>;
type SuccessStatus = 200 | 201 | 202 | 204;

/** A route as data: what it takes and answers. Validation, types and the description share it. */
export interface RouteSpec<
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodNever,
  Answer extends z.ZodType = z.ZodUndefined,
  Revised extends boolean = false,
  Preview extends z.ZodType = z.ZodNever,
> {
  method: "get" | "post" | "patch" | "delete";
  /** As in OpenAPI: `/api/v1/biolinks/links/{link}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The route needs `If-Match`, or honours it. */
  ifMatch?: boolean | "optional";
  success: {
    status: SuccessStatus;
    description: string;
    schema?: Answer;
    /** The answer names the record's revision. */
    etag?: Revised;
    /** It answers a file of one of these types, and no JSON. */
    media?: string[];
    /** It always holds what the revision does not cover: never 304. */
    holdsMore?: boolean;
    /** What a 200 means where success is a 201: the record was there already. */
    existing?: string;
    /** What a 200 tells, where success is a 202, of what would be done and was not. */
    preview?: { description: string; schema: Preview };
    /** It answers a file of one of these media types, not JSON. */
    mediaTypes?: readonly string[];
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
  /** The body as it came, before it is validated; undefined if it is no JSON object. */
  peekBody(): Record<string, unknown> | undefined;
  /** @throws 428, 412 */
  expectRevision(current: string): ExpectedRevision;
  /** As {@link expectRevision}, where `If-Match` may be left out. @throws 412 */
  expectRevisionIfSent(current: string): ExpectedRevision;
}

/** Validates what a route declares of a request; `bytes` undefined: the body is too large. */
export function toApiRequest<
  Ctx,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  c: HonoContext<ApiEnv>,
  ctx: Ctx,
  spec: { params?: Params; query?: Query; body?: Body },
  bytes: Uint8Array | undefined,
): ApiRequest<Ctx, z.output<Params>, z.output<Query>, z.output<Body>> {
  if (!bytes) throw new ApiError("payload_too_large");
  const { pathname, search } = new URL(c.req.url);
  const params = (spec.params ?? z.object({})).safeParse(c.req.param());
  if (!params.success || !isDecodable(pathname)) throw new ApiError("not_found");
  const ifMatch = c.req.raw.headers.get("If-Match");
  return {
    ctx,
    params: params.data as z.output<Params>,
    get query() {
      return validateQuery(spec.query ?? z.object({}), search) as z.output<Query>;
    },
    body: () => validate(spec.body ?? z.never(), parseJsonObject(bytes)) as z.output<Body>,
    peekBody: () => findJsonObject(bytes),
    expectRevision: (current) => expectRevision(ifMatch, current),
    expectRevisionIfSent: (current) => expectRevision(ifMatch || "*", current),
  };
}

/** Runs a route's handler. One that only reads runs again when D1 lost it on the way. */
export function runHandler<Answer>(
  { method }: { method: string },
  handle: () => Promise<Answer>,
): Promise<Answer> {
  return method === "get" ? retryTransient(handle) : handle();
}

/** What a handler answered, with the status that its route gives it. */
export function toResult(
  { success }: { success: { status: SuccessStatus; holdsMore?: boolean } },
  answer: {
    body?: unknown;
    file?: AnsweredFile | undefined;
    revision?: string | undefined;
    existing?: boolean;
    holdsMore?: boolean;
    preview?: unknown;
  },
): ApiResult {
  const { body, file, revision, existing, preview } = answer;
  if (preview !== undefined) return { status: 200, body: preview };
  const holdsMore = success.holdsMore || answer.holdsMore;
  return {
    status: existing ? 200 : success.status,
    ...(body !== undefined && { body }),
    ...(file && { file }),
    ...(revision !== undefined && { revision }),
    ...(holdsMore && { holdsMore }),
  };
}

function toResponse(request: Request, result: ApiResult): Response {
  const headers = new Headers();
  if (result.revision) {
    headers.set("ETag", toEtag(result.revision));
    // Envoy then does not compress; else it would drop the ETag. nginx takes no notice: it weakens
    // the ETag, which is why weak ones match.
    headers.set("Cache-Control", "no-store, no-transform");
    // Hono gives HEAD to the route of GET.
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isHeld = isKnown(request.headers.get("If-None-Match"), result.revision);
    if (isRead && isHeld && !result.holdsMore) return new Response(null, { status: 304, headers });
  }
  if (result.file) {
    const { mediaType, name, content } = result.file;
    headers.set("Content-Type", mediaType);
    if (name) headers.set("Content-Disposition", `attachment; filename="${name}"`);
    return new Response(content, { status: result.status, headers });
  }
  if (result.body === undefined) return new Response(null, { status: result.status, headers });
  return Response.json(result.body, { status: result.status, headers });
}

/** Adds a route that is described, and answered by what `access` leads to. */
export function addRoute(
  api: Api,
  // biome-ignore lint/suspicious/noExplicitAny: any route's schemas
  spec: RouteSpec<any, any, any, any, any, any>,
  access: RouteAccess,
  answer: (c: HonoContext<ApiEnv>) => Promise<ApiResult>,
): void {
  documentRoute(api, spec, access);
  api.on(spec.method.toUpperCase(), toHonoPath(spec.path), async (c) => {
    c.get("told").route = spec.operationId;
    return toResponse(c.req.raw, await answer(c));
  });
}

/** Hono's spelling of a path. */
function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** What a route's description says besides its spec, of who may call it. */
interface RouteAccess {
  security: RouteConfig["security"];
  errors: ErrorCode[];
  headers?: Record<string, z.ZodType>;
  answerHeaders?: AnswerHeaders;
  description?: string;
}

const IfMatch = z.string().openapi({
  description:
    'The record\'s `ETag`, or a list of such, or `*` alone for any. A tag that a proxy has weakened (`W/"…"`) and a revision without quotes match too. Missing: 428; out of date: 412.',
  example: '"9f1c2ab04d5e4f6a8b7c6d5e4f3a2b1c"',
});

const IfNoneMatch = z.string().openapi({
  description:
    "An `ETag` already known: 304 if it still holds and nothing else has changed. Spelt as in `If-Match`.",
});

/** Whether a route's answer may be a 304 instead. */
function offersNotModified(spec: {
  method: string;
  success: { etag?: boolean; holdsMore?: boolean };
}): boolean {
  return spec.method === "get" && spec.success.etag === true && !spec.success.holdsMore;
}

/** Adds a route to the OpenAPI description. */
function documentRoute(
  api: Api,
  // biome-ignore lint/suspicious/noExplicitAny: any route's schemas
  spec: RouteSpec<any, any, any, any, any, any>,
  access: RouteAccess,
): void {
  const { success } = spec;
  const headers: Record<string, z.ZodType> = { ...access.headers };
  if (spec.ifMatch) headers["If-Match"] = spec.ifMatch === true ? IfMatch : IfMatch.optional();
  if (offersNotModified(spec)) headers["If-None-Match"] = IfNoneMatch.optional();
  const errors: ErrorCode[] = [...access.errors, ...(spec.errors ?? []), "internal", "overloaded"];
  if (spec.method !== "get") errors.push("payload_too_large", "malformed_body");
  if (spec.body) errors.push("validation_failed");
  if (spec.body && spec.method !== "delete") errors.push("storage_full");
  if (spec.query) errors.push("validation_failed");
  if (spec.ifMatch) errors.push("precondition_failed", "conflict");
  if (spec.ifMatch === true) errors.push("precondition_required");
  const answerHeaders = (status: number) =>
    headersOf(status, { etag: success.etag, ...access.answerHeaders });
  const answered = (status: number, description: string, schema = success.schema) => ({
    description,
    headers: answerHeaders(status),
    ...(schema && { content: { "application/json": { schema } } }),
    ...(success.mediaTypes && { content: fileContents(success.mediaTypes) }),
  });
  api.openAPIRegistry.registerPath({
    method: spec.method,
    path: spec.path,
    operationId: spec.operationId,
    tags: [spec.tag],
    summary: spec.summary,
    ...joinDescriptions(spec.description, access.description),
    ...(access.security && { security: access.security }),
    request: {
      ...(spec.params && { params: spec.params }),
      ...(spec.query && { query: spec.query }),
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...(spec.body && {
        body: { required: true, content: { "application/json": { schema: spec.body } } },
      }),
    },
    responses: {
      [success.status]: answered(success.status, success.description),
      ...(success.existing && { 200: answered(200, success.existing) }),
      ...(success.preview && {
        200: answered(200, success.preview.description, success.preview.schema),
      }),
      ...(offersNotModified(spec) && {
        304: { description: "Not modified.", headers: answerHeaders(304) },
      }),
      ...errorResponses(errors, answerHeaders),
    },
  });
}

function fileContents(mediaTypes: readonly string[]) {
  const schemaOf = (type: string) =>
    type.startsWith("image/")
      ? { type: "string" as const, format: "binary" }
      : { type: "string" as const };
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: schemaOf(type) }]));
}

function joinDescriptions(...parts: (string | undefined)[]): { description?: string } {
  const description = parts.filter(Boolean).join("\n\n");
  return description ? { description } : {};
}
