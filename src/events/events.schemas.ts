import { z } from "@hono/zod-openapi";

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

/** What a product says happened. */
export const PublishEvent = z
  .strictObject({
    event: z.string().openapi({ example: "publishing.post.published" }),
    channel: z.string().openapi({ example: "all" }),
    data: Data,
  })
  .openapi("PublishEvent");
export type EventInput = z.output<typeof PublishEvent>;
