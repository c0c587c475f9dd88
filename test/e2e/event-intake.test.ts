import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createRuntimeHome,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { createWebhookClient, POST_PUBLISHED } from "../support/node/webhook-client.ts";

/** Another product on the same account: it has Signpost's intake as a service binding. */
const PRODUCT = `export default {
  async fetch(request, env) {
    const { workspace, input } = await request.json();
    const publish = Array.isArray(input) ? "publishMany" : "publish";
    return Response.json(await env.EVENTS[publish](workspace, input));
  },
};`;
const DATA = {
  id: "post_1",
  title: null,
  url: null,
  networks: [],
  scheduled_at: null,
  published_at: null,
};

let home: RuntimeHome;
let account: Miniflare;
let workspace: string;

beforeAll(async () => {
  home = createRuntimeHome({});
  const runtime = await startRuntime(home);
  workspace = (await createWebhookClient(() => runtime.port)).id;
  await runtime.kill();
  const { host, cf, resourcePersistencePath, ...signpost } = JSON.parse(
    readFileSync(join(home.folder, "options.json"), "utf8"),
  );
  const product = {
    name: "product",
    modules: true,
    script: PRODUCT,
    compatibilityDate: "2026-11-01",
    serviceBindings: { EVENTS: { name: "signpost", entrypoint: "EventIntake" } },
  };
  account = new Miniflare(
    convertV4MiniflareOptions({ host, cf, resourcePersistencePath, workers: [product, signpost] }),
  );
});

afterAll(async () => {
  await account?.dispose();
  home?.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function publish(id: string, input: object): Promise<any> {
  const body = JSON.stringify({ workspace: id, input });
  return (await account.dispatchFetch("http://product/", { method: "POST", body })).json();
}

describe("another product on the account", () => {
  test("publishes an event over its service binding, and is told what is wrong with one", async () => {
    const answer = await publish(workspace, { ...POST_PUBLISHED, data: DATA });
    expect(answer).toEqual({ ok: true, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const db = await account.getD1Database("DB", "signpost");
    const stored = await db.prepare("SELECT type, workspace_id FROM events").all();
    expect(stored.results).toEqual([{ type: POST_PUBLISHED.event, workspace_id: workspace }]);
    expect(await publish(workspace, { ...POST_PUBLISHED, data: {} })).toMatchObject({
      ok: false,
      code: "validation_failed",
      errors: { "data.id": [expect.any(String)] },
    });
    expect(await publish(crypto.randomUUID(), { ...POST_PUBLISHED, data: DATA })).toMatchObject({
      ok: false,
      code: "not_found",
    });
  });

  test("publishes many at once, of which those that it published before are none anew", async () => {
    const events = ["a", "b"].map((id) => ({ ...POST_PUBLISHED, data: DATA, id }));
    const { ok, ids } = await publish(workspace, events);
    expect([ok, new Set(ids).size]).toEqual([true, 2]);
    const more = { ...POST_PUBLISHED, data: DATA, id: "c" };
    const again = await publish(workspace, [more, ...events]);
    expect(again).toEqual({ ok: true, ids: [expect.any(String), ...ids] });
    const db = await account.getD1Database("DB", "signpost");
    const count = "SELECT count(*) AS n FROM events WHERE source_id IS NOT NULL";
    expect(await db.prepare(count).first("n")).toBe(3);
    const wrong = [more, { ...more, channel: "sms" }];
    expect(await publish(workspace, wrong)).toMatchObject({
      ok: false,
      errors: { "events.1.channel": [expect.any(String)] },
    });
  });
});
