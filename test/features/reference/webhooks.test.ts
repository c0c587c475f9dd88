import type { Schema } from "@cfworker/json-schema";
import { beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event-types.ts";
import { ClosedSchemas } from "../../support/contract-schema.ts";
import { send } from "../../support/http.ts";
import {
  change,
  createLiveEndpoint,
  newBox,
  publish,
  type Received,
  waitForReceived,
} from "../../support/webhooks.ts";
import { createWorkspace } from "../../support/workspace.ts";

interface Webhook {
  tags: string[];
  description: string;
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody: { content: { "application/json": { schema: Schema; example: object } } };
}

let webhooks: Record<string, { post: Webhook }>;
let schemas: ClosedSchemas;

beforeAll(async () => {
  const { body } = await send("/openapi.json");
  webhooks = body.webhooks;
  schemas = new ClosedSchemas(body.components.schemas);
});

/** Where something that an endpoint got is not as its webhook is described. */
function misfitsOf({ headers, body }: Received): string[] {
  const sent = JSON.parse(body);
  const webhook = webhooks[sent.type]?.post;
  if (!webhook) return [`${sent.type} is not described`];
  const own = Object.keys(headers).filter((name) => name.startsWith("webhook-"));
  const named = webhook.parameters.map(({ name }) => name.toLowerCase());
  return [
    ...own.filter((name) => !named.includes(name)).map((name) => `${name} is not described`),
    ...webhook.parameters.flatMap(({ name, schema, required }) => {
      const value = headers[name.toLowerCase()];
      if (value === undefined) return required ? [`${sent.type} is without ${name}`] : [];
      return schemas.misfits(schema, value).map((fault) => `${name} ${fault}`);
    }),
    ...schemas
      .misfits(webhook.requestBody.content["application/json"].schema, sent)
      .map((fault) => `${sent.type} ${fault}`),
  ];
}

describe("the webhooks of the description", () => {
  it("are every event there is, each with an example that fits", () => {
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES.map(({ name }) => name));
    for (const [name, { post }] of Object.entries(webhooks)) {
      const { schema, example } = post.requestBody.content["application/json"];
      expect([name, post.tags, schemas.misfits(schema, example)]).toEqual([name, ["Webhooks"], []]);
      expect(post.parameters.map((parameter) => parameter.name)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
        "User-Agent",
      ]);
    }
  });

  it("are what endpoints get of each event, and of a test", async () => {
    const workspace = await createWorkspace({ plan: "business" });
    const subscriptions = EVENT_TYPES.map(({ name, channels: [channel = ""] }) => ({
      event: name as string,
      channel,
    }));
    const endpoint = await createLiveEndpoint(workspace, newBox(), subscriptions);
    for (const subscription of subscriptions) {
      const { status, text } = await publish(workspace, subscription);
      expect([subscription.event, status, text]).toEqual([subscription.event, 202, text]);
    }
    const test = { event: "biolinks.link.created" };
    expect((await change(workspace, "POST", `${endpoint.path}/test`, test)).status).toBe(202);
    const received = await waitForReceived(endpoint.box, subscriptions.length + 1);
    expect(received.flatMap(misfitsOf)).toEqual([]);
    const types = new Set(received.map(({ body }) => JSON.parse(body).type));
    expect(types.size).toBe(EVENT_TYPES.length);
  });

  it("are what endpoints get of a change that somebody makes", async () => {
    const workspace = await createWorkspace();
    const subscription = { event: "salesbot.contact.created", channel: "sms" };
    const endpoint = await createLiveEndpoint(workspace, newBox(), [subscription]);
    const contact = {
      name: "Ada",
      channel: "sms",
      custom: { plan: "pro", seats: 3, active: true },
    };
    await change(workspace, "POST", "/api/v1/contacts", contact);
    const received = await waitForReceived(endpoint.box, 1);
    expect(received.flatMap(misfitsOf)).toEqual([]);
  });
});
