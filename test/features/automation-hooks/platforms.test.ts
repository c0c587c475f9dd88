import { createExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import worker from "../../../src/worker.ts";
import { CONTACT_CREATED, SUBSCRIBE, subscribe, UNSUBSCRIBE } from "../../support/hooks.ts";
import { send } from "../../support/http.ts";
import { guardedEnv, newBox } from "../../support/webhooks.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/** Subscribes as in production: only public https targets. */
async function subscribeGuarded({ key }: Workspace, body: object) {
  const request = new Request(`https://sign.example${SUBSCRIBE}`, {
    method: "POST",
    headers: { "x-api-key": key },
    body: JSON.stringify(body),
  });
  const answer = await worker.fetch(request, guardedEnv, createExecutionContext());
  const answered = await answer.json<{ code: string; errors: object }>();
  return [answer.status, answered.code, Object.keys(answered.errors ?? {})];
}

describe("a target that is wrong in any way", () => {
  it.each([
    {},
    { target_url: null },
    { target_url: 1 },
    { target_url: true },
    { target_url: ["https://public.example/"] },
    { target_url: {} },
    { target_url: "" },
    { target_url: "  " },
    { target_url: "zap" },
    { target_url: "http://public.example/" },
    { target_url: "https://10.0.0.1/" },
    { target_url: "https://private.example/" },
    { target_url: "https://nowhere.example/" },
    { target_url: `https://public.example/${"a".repeat(2048)}` },
    { targetUrl: "" },
    { url: 1 },
    { subscription_url: "https://public.example/" },
  ])("is told as invalid_target_url: %j", async (target) => {
    const answer = await subscribeGuarded(await createWorkspace(), {
      ...target,
      event: CONTACT_CREATED,
    });
    expect(answer).toEqual([422, "invalid_target_url", ["target_url"]]);
  });
});

describe("an event that is wrong in any way", () => {
  it.each([undefined, null, "", 1, {}, [CONTACT_CREATED], "salesbot.contact", "__proto__"])(
    "is told as unknown_event, before a wrong target: %j",
    async (event) => {
      const workspace = await createWorkspace();
      for (const target_url of [newBox(), "zap", undefined]) {
        const { status, body } = await subscribe(workspace, { target_url, event });
        expect([status, body.code, Object.keys(body.errors)]).toEqual([
          422,
          "unknown_event",
          ["event"],
        ]);
      }
    },
  );
});

describe("what a platform sends besides", () => {
  it("is ignored, on the way in and on the way out", async () => {
    const workspace = await createWorkspace();
    const besides = {
      subscription_url: "https://hooks.example/1",
      hook_id: "zapier-1",
      zap_id: 7,
      bundle: { authData: {} },
      secret: "x",
    };
    const target_url = newBox();
    const made = await subscribe(workspace, { target_url, ...besides });
    expect([made.status, made.body.data.target_url]).toEqual([201, target_url]);
    const again = await subscribe(workspace, { target_url, url: "https://other.example/" });
    expect([again.status, again.body.data.id]).toEqual([200, made.body.data.id]);
    const body = { id: made.body.data.id, target_url, event: CONTACT_CREATED, ...besides };
    expect((await workspace.send("POST", UNSUBSCRIBE, { body })).status).toBe(204);
    expect((await subscribe(workspace, { target_url })).status).toBe(201);
  });

  it("takes the first spelling of the target that holds something", async () => {
    const workspace = await createWorkspace();
    const url = newBox();
    const body = { target_url: null, targetUrl: " ", hookUrl: url, event: CONTACT_CREATED };
    const made = await workspace.send("POST", SUBSCRIBE, { body });
    expect([made.status, made.body.data?.target_url]).toEqual([201, url]);
  });
});

describe("POST /automation/unsubscribe", () => {
  it.each([
    ["n8n, Make", (id: string) => ({ id })],
    ["what subscribe answered", (id: string) => ({ data: { id, event: CONTACT_CREATED } })],
    ["in upper case", (id: string) => ({ id: id.toUpperCase() })],
    ["hook_id", (id: string) => ({ hook_id: id, subscription_url: "https://hooks.example/1" })],
    ["hookId", (id: string) => ({ hookId: id })],
    ["subscription_id", (id: string) => ({ subscription_id: id, zap_id: 7 })],
    ["subscriptionId", (id: string) => ({ subscriptionId: id })],
    ["webhook_id", (id: string) => ({ webhook_id: id })],
    ["webhookId", (id: string) => ({ webhookId: id })],
    ["Make's own name", (id: string) => ({ externalHookId: id })],
    ["an id that is null besides", (id: string) => ({ id: null, data: { id } })],
    ["an id that is blank besides", (id: string) => ({ id: "", hook_id: " ", hookId: id })],
  ])("takes the id as it comes: %s", async (_name, body) => {
    const workspace = await createWorkspace();
    const target_url = newBox();
    const made = await subscribe(workspace, { target_url });
    const gone = await workspace.send("POST", UNSUBSCRIBE, { body: body(made.body.data.id) });
    expect(gone.status).toBe(204);
    expect((await subscribe(workspace, { target_url })).status).toBe(201);
  });

  it.each([
    {},
    { id: 1 },
    { id: null },
    { id: "" },
    { id: " ", data: { id: " " } },
    { data: "x" },
    { data: [] },
    { target_url: "https://a.b/" },
  ])("cannot do without one: %j", async (body) => {
    const answer = await (await createWorkspace()).send("POST", UNSUBSCRIBE, { body });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ["id"]]);
  });
});

describe("the description", () => {
  it("says that other fields may be sent", async () => {
    const { SubscribeHook, UnsubscribeHook } = (await send("/openapi.json")).body.components
      .schemas;
    expect(SubscribeHook).toMatchObject({
      type: "object",
      additionalProperties: true,
      required: ["target_url", "event"],
    });
    expect(UnsubscribeHook).toMatchObject({ additionalProperties: true, required: ["id"] });
  });
});
