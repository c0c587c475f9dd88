import { z } from "@hono/zod-openapi";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listEventTypes } from "../../../events/event-registry.ts";
import type { EventType } from "../../../events/event-type.ts";
import { maySubscribeTo } from "./product-permission.ts";
import { WEBHOOKS_PATH } from "./webhook-paths.ts";

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

const schemas = new WeakMap<EventType, Record<string, unknown>>();

/** Made once for each event: it takes milliseconds. */
function schemaOf(type: EventType): Record<string, unknown> {
  const schema = schemas.get(type) ?? z.toJSONSchema(type.data, { io: "output" });
  schemas.set(type, schema);
  return schema;
}

function describeEvent(type: EventType): z.input<typeof EventDescription> {
  return {
    event: type.name,
    description: type.description,
    channels: [...type.channels],
    schema: schemaOf(type),
    sample: type.sample,
  };
}

export function addEventTypeRoutes(api: Api): void {
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
    async ({ ctx }) => {
      const shown = listEventTypes().filter(({ product }) => maySubscribeTo(ctx.caller, product));
      return { body: { data: shown.map(describeEvent), next_cursor: null } };
    },
  );
}
