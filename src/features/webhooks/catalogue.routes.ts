import { z } from "@hono/zod-openapi";
import { clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { CATALOGUE } from "./catalogue.ts";
import { WEBHOOKS_PATH } from "./endpoints/endpoints.routes.ts";
import { maySubscribeTo } from "./endpoints/product-permission.ts";

const EventDescription = z
  .object({
    event: z.string(),
    description: z.string(),
    channels: z.array(z.string()),
    schema: z.record(z.string(), z.unknown()).openapi({
      description: "JSON Schema of the envelope's `data`.",
    }),
    sample: z.record(z.string(), z.unknown()).openapi({ description: "A sample of `data`." }),
  })
  .openapi("EventDescription");

const descriptions = CATALOGUE.map((kind) => ({
  product: kind.product,
  data: {
    event: kind.name,
    description: kind.description,
    channels: [...kind.channels],
    schema: z.toJSONSchema(kind.data),
    sample: kind.sample,
  },
}));

export function addCatalogueRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${WEBHOOKS_PATH}/events`,
      operationId: "listEvents",
      tag: "Webhooks",
      summary: "List the events that can be subscribed to",
      description: "Those of the products that the key can subscribe to.",
      access: { feature: "webhooks", permission: "webhooks:read", idempotencyKey: "unused" },
      success: {
        status: 200,
        description: "Every event.",
        schema: z.object({ data: z.array(EventDescription), next_cursor: z.null() }),
      },
    },
    async (_request, { caller }) => {
      const shown = descriptions.filter(({ product }) => maySubscribeTo(caller, product));
      return { status: 200, body: { data: shown.map(({ data }) => data), next_cursor: null } };
    },
  );
}
