import { z } from "@hono/zod-openapi";

/** Other names that platforms and their templates give to the same field. */
const SPELLINGS = ["targetUrl", "hookUrl", "url"] as const;

const Subscription = z.strictObject({
  target_url: z
    .string()
    .min(1)
    .openapi({
      description: `A public https address. \`${SPELLINGS.join("`, `")}\` are taken for it too.`,
      example: "https://hooks.zapier.com/hooks/standard/1/abc/",
    }),
  event: z.string().min(1).openapi({ example: "salesbot.contact.created" }),
});

export const SubscribeHook = z
  .preprocess((body) => {
    if (typeof body !== "object" || body === null || "target_url" in body) return body;
    const spelling = SPELLINGS.find((name) => name in body);
    if (!spelling) return body;
    const { [spelling]: target_url, ...rest } = body as Record<string, unknown>;
    return { ...rest, target_url };
  }, Subscription)
  .openapi("SubscribeHook");
export type SubscribeHook = z.output<typeof SubscribeHook>;

export const UnsubscribeHook = z
  .strictObject({ id: z.string().toLowerCase() })
  .openapi("UnsubscribeHook");

export const Hook = z
  .object({
    id: z.uuid(),
    event: z.string(),
    target_url: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("AutomationHook");
export type Hook = z.output<typeof Hook>;

export const HookAnswer = z.object({ data: Hook });

export const ConnectionAnswer = z.object({
  data: z
    .object({
      id: z.uuid().openapi({ description: "The workspace's." }),
      workspace_name: z.string(),
      key_name: z.string(),
      events: z.array(
        z.object({ event: z.string(), description: z.string(), channels: z.array(z.string()) }),
      ),
    })
    .openapi("AutomationConnection"),
});

const HookPayload = z
  .looseObject({ id: z.string(), event: z.string(), occurred_at: z.iso.datetime() })
  .openapi("HookPayload", { description: "The event's data with these fields, flat." });
export type HookPayload = z.output<typeof HookPayload>;

export const SampleAnswer = z.array(HookPayload);
