import type { Context } from "hono";
import uiStyles from "swagger-ui-dist/swagger-ui.css";
import uiScript from "swagger-ui-dist/swagger-ui-bundle.js";
import type { Api, ApiEnv } from "../../api/api.ts";
import { platformOrigin } from "../../platform/platform-host.ts";
import { makeDocument, servedFrom } from "./reference.document.ts";

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Signpost API reference</title><link rel="stylesheet" href="/docs/swagger-ui.css"><style>body{margin:0}</style></head>
<body><main id="reference"></main><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/reference.js"></script></body></html>`;

const SCRIPT = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, docExpansion: "none", validatorUrl: null });`;

/** Swagger UI sets styles from its script and draws icons from data addresses. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** The API reference: its description as JSON, and a page that shows it, from the Worker's own files. */
export function addReferenceRoutes(api: Api): void {
  // Made once per isolate: it takes milliseconds, and only the server's address varies.
  let description: ReturnType<typeof makeDocument> | undefined;
  api.get("/openapi.json", (c) => {
    description ??= makeDocument(api);
    return c.json(servedFrom(description, platformOrigin(c.env, new URL(c.req.url))));
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
