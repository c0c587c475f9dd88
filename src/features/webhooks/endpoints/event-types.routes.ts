import { z } from "@hono/zod-openapi";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import {
  cursorOf,
  listOf,
  PageQuery,
  type PageRequest,
  toList,
  toPageRequest,
} from "../../../api/pagination.ts";
import { ChannelName, EventName } from "../../../events/event-names.schemas.ts";
import {
  findEventType,
  listEventTypes,
  listOfferedEventTypes,
} from "../../../events/event-registry.ts";
import { type EventType, subscribePermission } from "../../../events/event-type.ts";
import type { Caller } from "../../../platform/context/context.ts";
import { maySubscribeTo } from "./product-permission.ts";
import { WEBHOOKS_PATH } from "./webhook-paths.ts";

const EventDescription = z
  .object({
    event: EventName,
    description: z.string(),
    channels: z.array(ChannelName),
    permission: z.string().openapi({
      description: "What a key needs to subscribe to this event.",
      example: "salesbot:webhooks:subscribe",
    }),
    subscribable: z.boolean().openapi({ description: "Whether this key has that permission." }),
    schema: z.record(z.string(), z.unknown()).openapi({
      description: "JSON Schema of the envelope's `data`.",
    }),
    sample: z.record(z.string(), z.unknown()).openapi({ description: "A sample of `data`." }),
  })
  .openapi("EventDescription", {
    example: {
      event: "publishing.post.scheduled",
      description: "A post was given a time to go out.",
      channels: ["all"],
      permission: "publishing:webhooks:subscribe",
      subscribable: true,
      schema: { type: "object" },
      sample: { id: "post_4711" },
    },
  });

const schemas = new WeakMap<EventType, Record<string, unknown>>();

/** Made once for each event: it takes milliseconds. */
function schemaOf(type: EventType): Record<string, unknown> {
  const schema = schemas.get(type) ?? z.toJSONSchema(type.data, { io: "output" });
  schemas.set(type, schema);
  return schema;
}

function describeEvent(caller: Caller, type: EventType): z.input<typeof EventDescription> {
  return {
    event: type.name,
    description: type.description,
    channels: [...type.channels],
    permission: subscribePermission(type.product),
    subscribable: maySubscribeTo(caller, type.product),
    schema: schemaOf(type),
    sample: type.sample,
  };
}

/** Its pages follow the catalogue, so that a cursor holds on when a feature is switched off. */
function pageOfEvents(caller: Caller, { beforeId, limit }: PageRequest) {
  const order: string[] = listEventTypes().map(({ name }) => name);
  const start = beforeId === undefined ? 0 : order.indexOf(beforeId) + 1;
  return listOfferedEventTypes(caller)
    .filter(({ name }) => order.indexOf(name) >= start)
    .slice(0, limit + 1)
    .map((type) => ({ id: type.name, type }));
}

const ListEventsQuery = PageQuery.extend({
  cursor: cursorOf((name) => findEventType(name) !== undefined),
});

export function addEventTypeRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${WEBHOOKS_PATH}/events`,
      operationId: "listEvents",
      tag: "Webhooks",
      summary: "List the events that can be subscribed to",
      description:
        "Those of the workspace's features, whatever the key may subscribe to: `subscribable` says that.",
      access: { feature: "webhooks", permission: "webhooks:read", idempotencyKey: "unused" },
      query: ListEventsQuery,
      success: {
        status: 200,
        description: "In the order of the catalogue.",
        schema: listOf(EventDescription),
      },
    },
    async ({ ctx: { caller }, query }) => {
      const page = toPageRequest(query);
      const rows = pageOfEvents(caller, page);
      return { body: toList(rows, page, ({ type }) => describeEvent(caller, type)) };
    },
  );
}
