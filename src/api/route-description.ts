import { type RouteConfig, z } from "@hono/zod-openapi";
import type { Api } from "./api.ts";
import type { ErrorCode } from "./errors.ts";
import { errorResponses } from "./openapi-errors.ts";
import { type AnswerHeaders, headersOf } from "./openapi-headers.ts";
import type { DescribedFile, RouteSpec } from "./route-spec.ts";
import type { UploadSpec } from "./upload.ts";

/** What a route's description says besides its spec, of who may call it. */
export interface RouteAccess {
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
export function documentRoute(
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
  if (spec.body || spec.upload) errors.push("validation_failed");
  if ((spec.body || spec.upload) && spec.method !== "delete") errors.push("storage_full");
  if (spec.query) errors.push("validation_failed");
  if (spec.ifMatch) errors.push("precondition_failed", "conflict");
  if (spec.ifMatch === true) errors.push("precondition_required");
  const answerHeaders = (status: number) =>
    headersOf(status, { etag: success.etag, ...access.answerHeaders });
  const { example } = success;
  const answered = (status: number, description: string, schema = success.schema) => ({
    description,
    headers: answerHeaders(status),
    ...(schema && {
      content: {
        "application/json": { schema, ...(example !== undefined && { example }) },
      },
    }),
    ...(success.files && { content: fileContents(success.files) }),
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
      ...(spec.upload && { body: { required: true, content: uploadContents(spec.upload) } }),
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

function fileContents(files: Readonly<Record<string, DescribedFile>>) {
  const contents = Object.entries(files).map(([type, { description, example, row }]) => {
    const isBytes = type.startsWith("image/");
    const format = isBytes ? { format: "binary" } : {};
    const schema = { type: "string" as const, ...format, description, ...rowsOf(type, row) };
    return [type, { schema, ...(example !== undefined && { example }) }];
  });
  return Object.fromEntries(contents);
}

function uploadContents({ mediaTypes, example, row }: UploadSpec) {
  const file = { type: "string" as const, format: "binary" };
  const form = { type: "object" as const, properties: { file }, required: ["file"] };
  const raw = mediaTypes.map((type) => [
    type,
    {
      schema: type.startsWith("text/") ? { ...file, ...rowsOf(type, row) } : file,
      ...(example?.mediaType === type && { example: example.content }),
    },
  ]);
  return { ...Object.fromEntries(raw), "multipart/form-data": { schema: form } };
}

/** What a text is when it is read, as JSON Schema says it. */
function rowsOf(contentMediaType: string, row: string | undefined): object {
  if (!row) return {};
  const items = { $ref: `#/components/schemas/${row}` };
  return { contentMediaType, contentSchema: { type: "array", items } };
}

function joinDescriptions(...parts: (string | undefined)[]): { description?: string } {
  const description = parts.filter(Boolean).join("\n\n");
  return description ? { description } : {};
}
