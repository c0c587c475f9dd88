import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Database, database } from "../db/client.ts";
import type { Env } from "../env.ts";
import type { Api, ApiEnv } from "./api.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import { type ExpectedRevision, expectRevision, isKnown, toEtag } from "./etag.ts";
import { errorResponses } from "./openapi-errors.ts";
import { type AnswerHeaders, headersOf } from "./openapi-headers.ts";
import { parseJsonObject } from "./request-body.ts";
import { validate } from "./validation.ts";

type NoFields = z.ZodObject<Record<never, never>>;

/** A route as data: what it takes and answers. Validation and the OpenAPI description share it. */
export interface RouteSpec<
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = z.ZodNever,
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
    status: 200 | 201 | 202 | 204;
    description: string;
    schema?: z.ZodType;
    etag?: boolean;
    /** What a 200 means where success is a 201: the record was there already. */
    existing?: string;
  };
  /** Errors besides those that follow from the fields above and from who may call. */
  errors?: ErrorCode[];
}

export interface ApiResult {
  status: 200 | 201 | 202 | 204;
  body?: unknown;
  /** Answered as `ETag`; a GET compares it with `If-None-Match`. */
  revision?: string;
}

/** A request as handlers see it. */
export class ApiRequest<Params, Query, Body> {
  readonly env: Env;
  readonly db: Database;
  readonly url: URL;
  readonly params: Params;
  readonly query: Query;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly #headers: Headers;
  readonly #readBody: () => Body;

  constructor(c: Context<ApiEnv>, params: Params, query: Query, body: () => Body) {
    this.env = c.env;
    this.db = database(c.env.DB);
    this.url = new URL(c.req.url);
    this.params = params;
    this.query = query;
    this.waitUntil = (work) => c.executionCtx.waitUntil(work);
    this.#headers = c.req.raw.headers;
    this.#readBody = body;
  }

  /** The validated body. Read it after the record is found and its revision matched. @throws 422 */
  body(): Body {
    return this.#readBody();
  }

  /** @throws 428, 412 */
  expectRevision(current: string): ExpectedRevision {
    return expectRevision(this.#headers.get("If-Match"), current);
  }

  /** As {@link expectRevision}, where `If-Match` may be left out. @throws 412 */
  expectRevisionIfSent(current: string): ExpectedRevision {
    return expectRevision(this.#headers.get("If-Match") ?? "*", current);
  }
}

/** Validates what a route declares of a request; `bytes` undefined: the body is too large. */
export function toApiRequest<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  c: Context<ApiEnv>,
  spec: RouteSpec<Params, Query, Body>,
  bytes: Uint8Array | undefined,
): ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>> {
  if (!bytes) throw new ApiError("payload_too_large");
  const params = (spec.params ?? z.object({})).safeParse(c.req.param());
  if (!params.success) throw new ApiError("not_found");
  const query = validate(spec.query ?? z.object({}), c.req.query());
  return new ApiRequest(
    c,
    params.data as z.output<Params>,
    query as z.output<Query>,
    () => validate(spec.body ?? z.never(), parseJsonObject(bytes)) as z.output<Body>,
  );
}

export function toResponse(request: Request, result: ApiResult): Response {
  const headers = new Headers();
  if (result.revision) headers.set("ETag", toEtag(result.revision));
  if (request.method === "GET" && result.revision) {
    if (isKnown(request.headers.get("If-None-Match"), result.revision)) {
      return new Response(null, { status: 304, headers });
    }
  }
  if (result.body === undefined) return new Response(null, { status: result.status, headers });
  return Response.json(result.body, { status: result.status, headers });
}

/** Hono's spelling of a path. */
export function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

const IfMatch = z.string().openapi({
  description: "The record's `ETag`, or `*` for any. Missing: 428; out of date: 412.",
  example: '"9f1c2ab04d5e4f6a8b7c6d5e4f3a2b1c"',
});

const IfNoneMatch = z
  .string()
  .openapi({ description: "An `ETag` already known: 304 if it still holds." });

/** Adds a route to the OpenAPI description. */
export function documentRoute(
  api: Api,
  // biome-ignore lint/suspicious/noExplicitAny: any route's schemas
  spec: RouteSpec<any, any, any>,
  access: {
    security: RouteConfig["security"];
    errors: ErrorCode[];
    headers?: Record<string, z.ZodType>;
    answerHeaders?: AnswerHeaders;
    description?: string;
  },
): void {
  const { success } = spec;
  const headers: Record<string, z.ZodType> = { ...access.headers };
  if (spec.ifMatch) headers["If-Match"] = spec.ifMatch === true ? IfMatch : IfMatch.optional();
  if (spec.method === "get" && success.etag) headers["If-None-Match"] = IfNoneMatch.optional();
  const errors: ErrorCode[] = [...access.errors, ...(spec.errors ?? []), "internal"];
  if (spec.method !== "get") errors.push("payload_too_large");
  if (spec.body) errors.push("malformed_body", "validation_failed");
  if (spec.query) errors.push("validation_failed");
  if (spec.ifMatch) errors.push("precondition_failed", "conflict");
  if (spec.ifMatch === true) errors.push("precondition_required");
  const answerHeaders = (status: number) =>
    headersOf(status, { etag: success.etag, ...access.answerHeaders });
  const answered = (status: number, description: string) => ({
    description,
    headers: answerHeaders(status),
    ...(success.schema && { content: { "application/json": { schema: success.schema } } }),
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
      ...(spec.method === "get" &&
        success.etag && { 304: { description: "Not modified.", headers: answerHeaders(304) } }),
      ...errorResponses(errors, answerHeaders),
    },
  });
}

function joinDescriptions(...parts: (string | undefined)[]): { description?: string } {
  const description = parts.filter(Boolean).join("\n\n");
  return description ? { description } : {};
}
