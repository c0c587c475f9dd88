import type { Context } from "hono";
import uiStyles from "swagger-ui-dist/swagger-ui.css";
import uiScript from "swagger-ui-dist/swagger-ui-bundle.js";
import type { Api, ApiEnv } from "../../api/api.ts";
import { platformOrigin } from "../../platform/platform-host.ts";

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Signpost API reference</title><link rel="stylesheet" href="/docs/swagger-ui.css"><style>body{margin:0}</style></head>
<body><main id="reference"></main><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/reference.js"></script></body></html>`;

const SCRIPT = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "list", validatorUrl: null });`;

/** Swagger UI sets styles from its script and draws icons from data addresses. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

const DESCRIPTION = `Short links on the edge.

Send a workspace's API key as \`Authorization: Bearer osk_…\` or in \`x-api-key\`. Success bodies hold the resource in \`data\`; error bodies hold a \`message\` for people and a stable \`code\` for programs. Every answer carries \`X-Request-Id\`. A path asked with a method that it does not have answers 405 \`method_not_allowed\`, and \`Allow\` names those it has; \`HEAD\` goes wherever \`GET\` does, and a slash at the end changes nothing. Bodies are UTF-8 JSON, whatever \`Content-Type\` says.

A record's \`revision\` is its \`ETag\`: send it as \`If-Match\` to change or delete the record, or \`*\`, which always matches. A change that changes nothing keeps it. Lists are newest first and paged with \`limit\` and \`cursor\`. Unknown fields in a body are refused. A blank (\`""\`, or spaces only) in an optional field is as if it were left out, or null where that may be, and so is a blank filter in a query. Ids match in any case. Lengths count Unicode characters (code points). Every POST of the client API honours an \`Idempotency-Key\`.

**Following a link.** Visitors of a link with a password or marked as sensitive get a page first, and are sent on with 303; pixels fire on links without such a page, for people only.`;

/** The API reference: its description as JSON, and a page that shows it, from the Worker's own files. */
export function addReferenceRoutes(api: Api): void {
  // Made once per isolate: it takes milliseconds, and only the server's address varies.
  let description: ReturnType<Api["getOpenAPI31Document"]> | undefined;
  api.get("/openapi.json", (c) => {
    description ??= api.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Signpost", version: "1.0.0", description: DESCRIPTION },
    });
    const servers = [{ url: platformOrigin(c.env, new URL(c.req.url)) }];
    return c.json({ ...description, servers });
  });
  api.get("/docs", (c) =>
    file(c, PAGE, "text/html; charset=utf-8", { "Content-Security-Policy": PAGE_POLICY }),
  );
  api.get("/docs/reference.js", (c) => file(c, SCRIPT, "text/javascript"));
  api.get("/docs/swagger-ui-bundle.js", (c) => file(c, uiScript, "text/javascript"));
  api.get("/docs/swagger-ui.css", (c) => file(c, uiStyles, "text/css"));
}

function file(
  c: Context<ApiEnv>,
  content: string | ArrayBuffer,
  type: string,
  more: Record<string, string> = {},
): Response {
  return c.body(content, 200, {
    "Content-Type": type,
    "Cache-Control": "public, max-age=3600",
    "X-Content-Type-Options": "nosniff",
    ...more,
  });
}

/** The ways to prove who is calling. */
export function describeSecurity(api: Api): void {
  const { openAPIRegistry: registry } = api;
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "A workspace API key: `osk_…`.",
  });
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The same key, in a header of its own.",
  });
  registry.registerComponent("securitySchemes", "operator", {
    type: "http",
    scheme: "bearer",
    description: "The operator's `ADMIN_TOKEN`.",
  });
}
