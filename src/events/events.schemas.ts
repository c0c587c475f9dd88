import { z } from "@hono/zod-openapi";
import { optional } from "../api/blank.ts";
import { PUBLISH_EVENT, PUBLISH_EVENTS } from "./events.examples.ts";

/** Kept as it came: what zod gives back of a record has lost some fields already. */
const Data = z
  .custom<Record<string, unknown>>(
    (data) => typeof data === "object" && data !== null && !Array.isArray(data),
    { error: "Must be an object." },
  )
  .openapi({
    type: "object",
    additionalProperties: {},
    description: "As `GET /api/v1/workspace-webhooks/events` describes it, and no fields besides.",
  });

/** A batch is one statement of the database, which others wait for. */
const MAX_EVENTS = 100;

const SourceId = z
  .string()
  .regex(/^[!-~]{1,64}$/, { error: "Must be 1 to 64 visible ASCII characters, without blanks." })
  .openapi({
    example: "post_1815:published",
    description:
      "Your own id of the event, unique in the workspace: published again within 30 days, whatever else it says then, it is the event that stands. Only a hash of it is kept.",
  });

/** What a product says happened. */
export const PublishEvent = z
  .strictObject({
    id: optional(SourceId),
    event: z.string().openapi({ example: "publishing.post.published" }),
    channel: z.string().openapi({ example: "all" }),
    data: Data,
  })
  .openapi("PublishEvent", { example: PUBLISH_EVENT });
export type EventInput = z.output<typeof PublishEvent>;

export const PublishEvents = z
  .strictObject({ events: z.array(PublishEvent).min(1).max(MAX_EVENTS) })
  .openapi("PublishEvents", { example: PUBLISH_EVENTS });
