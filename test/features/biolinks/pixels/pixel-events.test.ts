import { describe, expect, it, vi } from "vitest";
import { seal } from "../../../../src/platform/crypto/vault.ts";
import { eventVisitorContext, type PixelEvent } from "../../../../src/visitor/pixel-events.ts";
import { change } from "../../../support/contacts.ts";
import { newAddress, operate, send } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import { addPixelOf, answerWith, toldOf, waitForTold } from "../../../support/pixel-events.ts";
import { PIXELS } from "../../../support/pixels.ts";
import { PERSON } from "../../../support/visitor.ts";
import { env } from "../../../support/webhooks.ts";
import { deliver } from "../../../support/work.ts";
import { createActiveLink, createWorkspace, type Workspace } from "../../../support/workspace.ts";

const QUEUE = "signpost-pixel-events";
const DAY = 24 * 60 * 60_000;
const TOKEN = "EAA-canary-token";
const ADDRESS = "203.0.113.77";
const ACCEPTED = { "User-Agent": PERSON, Cookie: "signpost_consent=yes.1" };

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** A visit's event as the queue brings it. */
async function eventOf(
  workspace: Workspace,
  pixel: { id: string },
  more: Partial<PixelEvent> = {},
): Promise<PixelEvent> {
  const event = crypto.randomUUID();
  const visitor = JSON.stringify({ address: ADDRESS, userAgent: PERSON });
  const sealed = await seal(env, eventVisitorContext(event), visitor);
  return {
    v: 1,
    workspace: workspace.id,
    pixel: pixel.id,
    link: crypto.randomUUID(),
    event,
    at: Date.now(),
    url: "https://sign.example/sale",
    visitor: toBase64(sealed),
    ...more,
  };
}

async function newPixel(provider: "meta" | "ga4" = "meta") {
  const workspace = await createWorkspace();
  const pixel = await addPixelOf(workspace, { provider, access_token: TOKEN });
  return { workspace, pixel };
}

describe("a visit to a link with a pixel that has an access token", () => {
  it("is told to Meta's server once it is answered, under the beacon's event id", async () => {
    const { workspace, pixel } = await newPixel();
    const { slug } = await createActiveLink(workspace, { settings: { pixels: [pixel.id] } });
    const address = newAddress();
    const before = Math.floor(Date.now() / 1000);
    const headers = { ...ACCEPTED, "CF-Connecting-IP": address };
    const { text } = await send(`/${slug}?email=ada@example.com`, { headers });
    const [, eventId] = /&amp;eid=([\w-]+)&amp;/.exec(text) ?? [];
    const [told, ...more] = await waitForTold(pixel.tag, 1);
    expect(more).toEqual([]);
    expect(told?.url).toBe(`/meta/${pixel.tag}/events`);
    expect(told?.body).toEqual({
      access_token: TOKEN,
      data: [
        {
          event_name: "PageView",
          event_id: eventId,
          event_time: expect.any(Number),
          event_source_url: `http://localhost:8787/${slug}`,
          action_source: "website",
          user_data: { client_ip_address: address, client_user_agent: PERSON },
        },
      ],
    });
    const time = told?.body.data[0].event_time;
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it("is told to Google's server, without a page and without anything of the visitor", async () => {
    const { workspace, pixel } = await newPixel("ga4");
    const { slug } = await createActiveLink(workspace, { settings: { pixels: [pixel.id] } });
    const headers = { ...ACCEPTED, "CF-Connecting-IP": ADDRESS };
    const visit = await send(`/${slug}`, { headers });
    expect([visit.status, visit.headers.get("Location")]).toEqual([302, "https://example.com/"]);
    const [told] = await waitForTold(pixel.tag, 1);
    expect(told?.url).toBe(`/ga4/mp/collect?measurement_id=${pixel.tag}&api_secret=${TOKEN}`);
    expect(told?.body).toMatchObject({
      client_id: expect.stringMatching(/^[\w-]{36}$/),
      events: [{ name: "page_view", params: { page_location: `http://localhost:8787/${slug}` } }],
    });
    expect(told?.body.events[0].params.event_id).toBe(told?.body.client_id);
    expect(JSON.stringify(told)).not.toContain(ADDRESS);
    expect(JSON.stringify(told)).not.toContain("Mozilla");
  });

  it("is told nobody without consent, after it was taken back, nor of who is no visitor", async () => {
    const { workspace, pixel } = await newPixel();
    const ga4 = await addPixelOf(workspace, { provider: "ga4", access_token: TOKEN });
    const plain = await addPixelOf(workspace);
    const { slug } = await createActiveLink(workspace, {
      settings: { pixels: [pixel.id, ga4.id, plain.id] },
    });
    const visit = (headers: Record<string, string>, method = "GET") =>
      send(`/${slug}`, { method, headers: { "User-Agent": PERSON, ...headers } });
    await visit({ "CF-IPCountry": "DE" });
    await visit({});
    await visit({ ...ACCEPTED, "Sec-GPC": "1" });
    await visit({ ...ACCEPTED, Cookie: "signpost_consent=no.1", "CF-IPCountry": "US" });
    await visit(ACCEPTED, "HEAD");
    await visit({ ...ACCEPTED, "Sec-Purpose": "prefetch" });
    await visit({ ...ACCEPTED, "User-Agent": "Googlebot/2.1" });
    await visit({ ...ACCEPTED, Accept: "application/json" });
    await visit(ACCEPTED);
    await waitForTold(pixel.tag, 1);
    await waitForTold(ga4.tag, 1);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([await toldOf(pixel.tag), await toldOf(ga4.tag)].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
    expect(await toldOf(plain.tag)).toEqual([]);
  });
});

describe("a server event", () => {
  it.each([503, 500, 429, "reset"] as const)(
    "that the provider does not take now (%s) comes again, later each time, until it is taken",
    async (answer) => {
      const { workspace, pixel } = await newPixel();
      await answerWith(pixel.tag, [answer, answer, answer]);
      const event = await eventOf(workspace, pixel);
      for (const [attempts, delaySeconds] of [
        [1, 5],
        [2, 10],
        [5, 60],
      ] as const) {
        const taken = await deliver(QUEUE, [event], { attempts });
        expect(taken).toEqual({ acked: [], retried: [{ body: event, delaySeconds }] });
      }
      expect((await deliver(QUEUE, [event])).acked).toEqual([event]);
      expect(await toldOf(pixel.tag)).toHaveLength(4);
    },
  );

  it.each([400, 401, 403, 404, 302])(
    "that the provider refuses (%s) is given up",
    async (answer) => {
      const { workspace, pixel } = await newPixel();
      await answerWith(pixel.tag, [answer, answer]);
      const event = await eventOf(workspace, pixel);
      expect((await deliver(QUEUE, [event])).acked).toEqual([event]);
      expect(await toldOf(pixel.tag)).toHaveLength(1);
    },
  );

  it("that comes twice is the same event to the provider", async () => {
    const { workspace, pixel } = await newPixel();
    const event = await eventOf(workspace, pixel);
    await deliver(QUEUE, [event, event]);
    const ids = (await toldOf(pixel.tag)).map(({ body }) => body.data[0].event_id);
    expect(ids).toEqual([event.event, event.event]);
  });

  it("of more than seven days ago is told nobody, also from the dead-letter queue", async () => {
    const { workspace, pixel } = await newPixel();
    const late = await eventOf(workspace, pixel, { at: Date.now() - 7 * DAY - 1000 });
    const just = await eventOf(workspace, pixel, { at: Date.now() - 7 * DAY + 60_000 });
    expect((await deliver(QUEUE, [late])).acked).toEqual([late]);
    expect((await deliver(`${QUEUE}-dead`, [late], { attempts: 20 })).acked).toEqual([late]);
    expect(await toldOf(pixel.tag)).toEqual([]);
    expect((await deliver(`${QUEUE}-dead`, [just], { attempts: 20 })).acked).toEqual([just]);
    expect(await toldOf(pixel.tag)).toHaveLength(1);
  });

  const sql = (statement: string) => (_: Workspace, id: string) =>
    env.DB.prepare(`UPDATE pixels SET ${statement} WHERE id = ?`).bind(id).run();

  it.each<[string, (workspace: Workspace, id: string) => Promise<unknown>]>([
    ["is switched off", (own, id) => change(own, "PATCH", `${PIXELS}/${id}`, { enabled: false })],
    ["is deleted", (own, id) => change(own, "DELETE", `${PIXELS}/${id}`)],
    ["is being deleted", sql("deleted_at = 1")],
    [
      "has lost its token",
      (own, id) => change(own, "PATCH", `${PIXELS}/${id}`, { access_token: null }),
    ],
    ["has a token that nothing opens", sql("access_token = x'00'")],
  ])("whose pixel %s meanwhile is dropped", async (_, end) => {
    const { workspace, pixel } = await newPixel();
    const event = await eventOf(workspace, pixel);
    await end(workspace, pixel.id);
    expect((await deliver(QUEUE, [event])).acked).toEqual([event]);
    expect(await toldOf(pixel.tag)).toEqual([]);
  });

  it("of another workspace's pixel, or of one that is suspended, is dropped", async () => {
    const { workspace, pixel } = await newPixel();
    const other = await createWorkspace();
    await deliver(QUEUE, [await eventOf(other, pixel)]);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    const event = await eventOf(workspace, pixel);
    expect((await deliver(QUEUE, [event])).acked).toEqual([event]);
    expect(await toldOf(pixel.tag)).toEqual([]);
  });

  it("opens its visitor for itself alone", async () => {
    const { workspace, pixel } = await newPixel();
    const event = await eventOf(workspace, pixel);
    const swapped = { ...event, event: crypto.randomUUID() };
    expect((await deliver(QUEUE, [swapped])).acked).toEqual([swapped]);
    expect(await toldOf(pixel.tag)).toEqual([]);
  });

  it("goes nowhere unsafe: on a platform host providers are asked by https", async () => {
    const { workspace, pixel } = await newPixel();
    const event = await eventOf(workspace, pixel);
    const live = { ...env, PLATFORM_HOST: "sign.example", ALLOW_PRIVATE_TARGETS: "" };
    expect((await deliver(QUEUE, [event], { env: live })).retried).toHaveLength(1);
    expect(await toldOf(pixel.tag)).toEqual([]);
  });

  it("leaves its visitor and the token nowhere: not in what is stored, nor in a log", async () => {
    const { workspace, pixel } = await newPixel();
    await answerWith(pixel.tag, [500, 400]);
    const event = await eventOf(workspace, pixel);
    await deliver(QUEUE, [event]);
    await deliver(QUEUE, [event]);
    const broken = { ...env, DB: new Proxy(env.DB, { get: failingReads }) };
    await deliver(`${QUEUE}-dead`, [event], { env: broken, attempts: 30 });
    const later = { ...event, v: 2 };
    await deliver(`${QUEUE}-dead`, [later], { attempts: 30 });
    const { body } = await operate("GET", "/dead-letters?limit=100");
    const kept = body.data.filter((one: { workspace: string }) => one.workspace === workspace.id);
    const { visitor, ...rest } = event;
    expect(kept.map((one: { body: string }) => JSON.parse(one.body))).toEqual([
      { ...rest, v: 2 },
      rest,
    ]);
    const logged = loggedLines().join();
    for (const secret of [TOKEN, ADDRESS, PERSON, String(visitor)]) {
      expect(logged).not.toContain(secret);
    }
    expect(logged).toContain("pixel_event_put_off");
    expect(logged).toContain("pixel_event_refused");
  });

  it("that cannot be queued costs the visitor nothing, and is told", async () => {
    const { workspace, pixel } = await newPixel();
    const { slug } = await createActiveLink(workspace, { settings: { pixels: [pixel.id] } });
    const PIXEL_EVENTS = {
      sendBatch: () => Promise.reject(new Error("Queue is gone")),
    } as unknown as Queue;
    const lost = { ...env, PIXEL_EVENTS };
    expect((await send(`/${slug}`, { headers: ACCEPTED, env: lost })).status).toBe(200);
    await vi.waitFor(() => {
      expect(loggedLines().join()).toContain("pixel_events_lost");
    });
  });
});

/** A database that reads no pixels, and works else. */
function failingReads(target: D1Database, name: string | symbol) {
  if (name === "prepare") {
    return (sql: string) => {
      if (/FROM pixels/.test(sql)) throw new Error("D1_ERROR: no such thing");
      return target.prepare(sql);
    };
  }
  const value = Reflect.get(target, name, target);
  return typeof value === "function" ? value.bind(target) : value;
}
