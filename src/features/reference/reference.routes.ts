import type { Api } from "../../api/api.ts";
import { platformOrigin } from "../../platform/platform-host.ts";
import type { Description } from "./document.ts";
import { makeDocument, servedFrom } from "./reference.document.ts";
import { addReferencePages } from "./reference-pages.routes.ts";

/** The API reference: its description as JSON, and the pages that show it. */
export function addReferenceRoutes(api: Api): void {
  // Made once per isolate: it takes milliseconds, and only the server's address varies.
  let document: ReturnType<typeof makeDocument> | undefined;
  let made: { origin: string; description: Description } | undefined;
  const served = (origin: string) => {
    document ??= makeDocument(api);
    if (made?.origin !== origin) made = { origin, description: servedFrom(document, origin) };
    return made.description;
  };
  // A megabyte and more: whoever asks for it again and again is to cost no writing of it.
  let written: { origin: string; text: string } | undefined;
  api.get("/openapi.json", (c) => {
    const origin = platformOrigin(c.env, new URL(c.req.url));
    if (written?.origin !== origin) written = { origin, text: JSON.stringify(served(origin)) };
    return c.body(written.text, 200, { "Content-Type": "application/json" });
  });
  addReferencePages(api, served);
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
