import { z } from "@hono/zod-openapi";
import { isBlank } from "../../api/blank.ts";
import { exampleId, idParams } from "../../api/ids.ts";
import { ChannelName, EventName } from "../../events/event-names.schemas.ts";
import { MAX_URL_LENGTH } from "../../platform/outbound/public-url.ts";
import { CONNECTION, HOOK, PAYLOAD } from "./automation-hooks.examples.ts";

/** The names that platforms and their templates give to the same field, ours first. */
const SPELLINGS = ["target_url", "targetUrl", "hookUrl", "url"];
const ID_SPELLINGS = [
  "id",
  "hook_id",
  "hookId",
  "subscription_id",
  "subscriptionId",
  "webhook_id",
  "webhookId",
  "externalHookId",
];

/** Whatever comes: a platform is told of a wrong one with a code of its own, not as of a field. */
export const SubscribeHook = z
  .looseObject({})
  .transform((body) => ({ event: body.event, target_url: firstOf(body, SPELLINGS) }))
  .openapi("SubscribeHook", {
    type: "object",
    description: "Other fields, as platforms send them, are ignored.",
    properties: {
      target_url: {
        type: "string",
        format: "uri",
        description: `A public https address as webhooks take it, of up to ${MAX_URL_LENGTH} characters, also taken from ${spelled(SPELLINGS)}. Wrong in any way: \`invalid_target_url\`.`,
        example: "https://hooks.zapier.com/hooks/standard/1/abc/",
      },
      event: {
        type: "string",
        description: "Wrong in any way: `unknown_event`, which is told first.",
        example: "salesbot.contact.created",
      },
    },
    required: ["target_url", "event"],
    additionalProperties: true,
  });
export type SubscribeHook = z.output<typeof SubscribeHook>;

export const UnsubscribeHook = z
  .looseObject({})
  .transform((body) => ({ id: firstOf(body, ID_SPELLINGS) ?? firstOf(body.data, ID_SPELLINGS) }))
  .pipe(z.object({ id: z.string({ error: "Must be the hook's id." }).trim().toLowerCase() }))
  .openapi("UnsubscribeHook", {
    type: "object",
    description: "Other fields, as platforms send them, are ignored.",
    properties: {
      id: {
        type: "string",
        description: `The hook's id, also taken from ${spelled(ID_SPELLINGS)}, and from each of these in \`data\`, where \`subscribe\` answered it.`,
        example: exampleId("hook"),
      },
    },
    required: ["id"],
    additionalProperties: true,
  });

/** The field that is there by the first of its names: what is null or blank is not there. */
function firstOf(body: unknown, names: readonly string[]): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  const fields = new Map(Object.entries(body));
  const isThere = (value: unknown) => value !== undefined && value !== null && !isBlank(value);
  return names.map((name) => fields.get(name)).find(isThere);
}

function spelled([, ...others]: readonly string[]): string {
  return `\`${others.join("`, `")}\``;
}

export const Hook = z
  .object({
    id: z.uuid(),
    event: EventName,
    target_url: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("AutomationHook", { example: HOOK });
export type Hook = z.output<typeof Hook>;

export const WorkspaceHook = Hook.extend({
  key: z
    .uuid()
    .nullable()
    .openapi({
      example: exampleId("key"),
      description: "The key that it belongs to; null for one of before 2026-11-22.",
    }),
  active: z.boolean().openapi({
    example: true,
    description:
      "False: it gets nothing, as its key was revoked, expired, or may not subscribe to it any more.",
  }),
}).openapi("WorkspaceHook");
export type WorkspaceHook = z.output<typeof WorkspaceHook>;

export const HookParams = idParams("hook");
export const WorkspaceHookParams = idParams("workspace", "hook");

export const HookAnswer = z.object({ data: Hook });

export const ConnectionAnswer = z.object({
  data: z
    .object({
      id: z.uuid().openapi({ description: "The workspace's." }),
      workspace_name: z.string(),
      key_name: z.string(),
      events: z.array(
        z.object({ event: EventName, description: z.string(), channels: z.array(ChannelName) }),
      ),
    })
    .openapi("AutomationConnection", { example: CONNECTION }),
});

const HookPayload = z
  .looseObject({ id: z.string(), event: z.string(), occurred_at: z.iso.datetime() })
  .openapi("HookPayload", {
    example: PAYLOAD,
    description: "The event's data with these fields, flat.",
  });
export type HookPayload = z.output<typeof HookPayload>;

export const SampleAnswer = z.array(HookPayload);
