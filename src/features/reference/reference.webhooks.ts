import { z } from "@hono/zod-openapi";
import type { Api } from "../../api/api.ts";
import { exampleId } from "../../api/ids.ts";
import { listEventTypes } from "../../events/event-registry.ts";
import type { EventType } from "../../events/event-type.ts";

const DELIVERY = exampleId("delivery");

const HEADERS = z.object({
  "webhook-id": z.uuid().openapi({
    description:
      "The delivery: the same on all its attempts. Keep those that you have handled, to tell repetitions.",
    example: DELIVERY,
  }),
  "webhook-timestamp": z.string().regex(/^\d+$/).openapi({
    description:
      "When this attempt was made, in seconds since 1970. Refuse what is older than five minutes.",
    example: "1795161600",
  }),
  "webhook-signature": z.string().openapi({
    description:
      "`v1,` and the base64 of HMAC-SHA-256 over `webhook-id`, `webhook-timestamp` and the body as it came, with dots between. The key is what the secret says behind `whsec_`, from base64. Two of them with a space between while a secret is rotated: one that matches is enough.",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
  "User-Agent": z.string().openapi({
    description: "`Signpost-Webhooks/` and a version.",
    example: "Signpost-Webhooks/1.0",
  }),
});

const ANSWERS = {
  "2XX": {
    description:
      "Any of these within 15 seconds: it is delivered. The body is kept for you to see.",
  },
  410: { description: "Nothing more is wanted: the endpoint is paused." },
  default: {
    description:
      "Anything else, a redirect too: it is sent again, 8 times in all, or as `Retry-After` says with 429 and 503.",
  },
};

/** What an endpoint gets of an event: its envelope. */
function envelopeOf({ name, channels, data, sample }: EventType) {
  const words = name.replaceAll("_", ".").split(".");
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const [channel = "all"] = channels;
  return z
    .object({
      id: z.uuid().openapi({
        description: "The event: the same for every endpoint, and for a resend.",
      }),
      type: z.literal(name),
      timestamp: z.iso.datetime().openapi({ description: "When it happened." }),
      workspace: z.uuid(),
      channel: z.enum(channels as [string, ...string[]]),
      test: z.boolean().openapi({ description: "True: a sample, which `…/test` asked for." }),
      data,
    })
    .openapi(`${pascal}Event`, {
      example: {
        id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102",
        type: name,
        timestamp: "2026-11-20T08:00:00.000Z",
        workspace: exampleId("workspace"),
        channel,
        test: false,
        data: sample,
      },
    });
}

/** Adds what endpoints get of each event to the description. */
export function describeWebhooks({ openAPIRegistry: registry }: Api): void {
  for (const type of listEventTypes()) {
    registry.registerWebhook({
      method: "post",
      path: type.name,
      operationId: `on ${type.name}`.replaceAll(/[ ._](\w)/g, (_, letter: string) =>
        letter.toUpperCase(),
      ),
      tags: ["Webhooks"],
      summary: type.name,
      description: type.description,
      security: [],
      request: {
        headers: HEADERS,
        body: { required: true, content: { "application/json": { schema: envelopeOf(type) } } },
      },
      responses: ANSWERS,
    });
  }
}
