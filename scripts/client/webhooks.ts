/** The webhooks, where the description does not tell of them: made of the events' own schemas. */
import { z } from "@hono/zod-openapi";
import type { Description } from "./description.ts";

/** By an address: the Worker's own types are no matter of these scripts. */
const EVENT_TYPES = new URL("../../src/event-types.ts", import.meta.url);

interface EventType {
  name: string;
  description: string;
  data: z.ZodObject;
}

export async function describeWebhooks(): Promise<NonNullable<Description["webhooks"]>> {
  const { EVENT_TYPES: types }: { EVENT_TYPES: EventType[] } = await import(EVENT_TYPES.href);
  return Object.fromEntries(
    types.map(({ name, description, data }) => {
      const text = { type: "string" };
      const properties = {
        id: { ...text, description: "The event's: the same in a resend, and at other endpoints." },
        type: { const: name },
        timestamp: { ...text, description: "When it happened." },
        workspace: text,
        channel: text,
        test: { type: "boolean", description: "Whether it is a test's, with a sample for `data`." },
        data: z.toJSONSchema(data, { io: "output" }),
      };
      const schema = { type: "object", description, properties, required: Object.keys(properties) };
      const requestBody = { content: { "application/json": { schema } } };
      return [name, { post: { requestBody, responses: {} } }];
    }),
  );
}
