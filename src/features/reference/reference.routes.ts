import type { Api } from "../../api/api.ts";
import { tellDefaults } from "../../api/openapi-defaults.ts";
import { platformOrigin } from "../../platform/platform-host.ts";
import type { Description } from "./document.ts";
import { describeApi } from "./reference.description.ts";
import { addReferencePages } from "./reference-pages.routes.ts";

/** The API reference: its description as JSON, and the pages that show it. */
export function addReferenceRoutes(api: Api): void {
  // Made once per isolate: it takes milliseconds, and only the server's address varies.
  let description: ReturnType<typeof describe> | undefined;
  const served = (origin: string) => {
    description ??= describe(api);
    return { ...description, servers: [{ url: origin }] };
  };
  api.get("/openapi.json", (c) => c.json(served(platformOrigin(c.env, new URL(c.req.url)))));
  addReferencePages(api, served as unknown as (origin: string) => Description);
}

function describe(api: Api) {
  const description = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Signpost",
      version: "1.0.0",
      description: describeApi(),
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
  });
  tellDefaults(description.components?.schemas);
  return description;
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
