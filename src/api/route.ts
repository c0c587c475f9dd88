import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { retryTransient } from "../platform/db/retry.ts";
import type { Api, ApiEnv } from "./api.ts";
import { ApiError } from "./errors.ts";
import { expectRevision, isKnown, toEtag } from "./etag.ts";
import { findJsonObject, parseJsonObject } from "./request-body.ts";
import { isDecodable, validateQuery } from "./request-query.ts";
import { documentRoute, type RouteAccess } from "./route-description.ts";
import type {
  AnsweredFile,
  ApiRequest,
  ApiResult,
  RouteSpec,
  SuccessStatus,
} from "./route-spec.ts";
import { fileOf, tooLarge, type UploadSpec } from "./upload.ts";
import { validate } from "./validation.ts";

/** Validates what a route declares of a request; `bytes` undefined: the body is too large. */
export function toApiRequest<
  Ctx,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  c: HonoContext<ApiEnv>,
  ctx: Ctx,
  spec: { params?: Params; query?: Query; body?: Body; upload?: UploadSpec },
  bytes: Uint8Array | undefined,
): ApiRequest<Ctx, z.output<Params>, z.output<Query>, z.output<Body>> {
  const { upload } = spec;
  if (!bytes) throw upload ? tooLarge(upload.maxBytes) : new ApiError("payload_too_large");
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
    file: () => (upload ? fileOf(upload, c.req.raw.headers, bytes) : bytes),
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
