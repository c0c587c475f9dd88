import { describe, expect, it, vi } from "vitest";
import { seal } from "../../../../src/platform/crypto/vault.ts";
import { eventVisitorContext, type PixelEvents } from "../../../../src/visitor/pixel-events.ts";
import { change } from "../../../support/contacts.ts";
import { newAddress, operate, send } from "../../../support/http.ts";
import { loggedLines } from "../../../support/logs.ts";
import {
  addPixelOf,
  answerWith,
  mostAtOnce,
  toldOf,
  waitForTold,
} from "../../../support/pixel-events.ts";
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

/** A visit's events as the queue brings them. */
async function eventOf(
  workspace: Workspace,
  pixel: { id: string } | { id: string }[],
  more: Partial<PixelEvents> = {},
): Promise<PixelEvents> {
  const event = crypto.randomUUID();
  const visitor = JSON.stringify({ address: ADDRESS, userAgent: PERSON });
  const sealed = await seal(env, eventVisitorContext(event), visitor);
  return {
    v: 2,
    workspace: workspace.id,
    pixels: [pixel].flat().map(({ id }) => id),
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
    const later = { ...event, v: 3 };
    await deliver(`${QUEUE}-dead`, [later], { attempts: 30 });
    const { body } = await operate("GET", "/dead-letters?limit=100");
    const kept = body.data.filter((one: { workspace: string }) => one.workspace === workspace.id);
    const { visitor, ...rest } = event;
    expect(kept.map((one: { body: string }) => JSON.parse(one.body))).toEqual([
      { ...rest, v: 3 },
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

describe("a visit of many pixels", () => {
  /** Bindings whose queue of pixel events keeps what it is sent. */
  function queueing() {
    const sent: { body: PixelEvents; delaySeconds?: number | undefined }[] = [];
    let calls = 0;
    const PIXEL_EVENTS = {
      sendBatch: async (messages: { body: PixelEvents }[]) => {
        calls++;
        sent.push(...messages);
      },
      send: async (body: PixelEvents, options?: QueueSendOptions) => {
        calls++;
        sent.push({ body, delaySeconds: options?.delaySeconds });
      },
    } as unknown as Queue;
    return { env: { ...env, PIXEL_EVENTS }, sent, calls: () => calls };
  }

  it("is one call of the queue, and a message for each twenty; only Meta's name the visitor", async () => {
    const workspace = await createWorkspace();
    const { results } = await env.DB.prepare(
      `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 100)
       INSERT INTO pixels (id, workspace_id, name, provider, tag, access_token, created_at, updated_at)
       SELECT printf('%08x', n) || substr(?1, 9), ?1, 'P', iif(n % 20 = 0, 'meta', 'ga4'), 'T', x'00', 0, 0
       FROM each RETURNING id`,
    )
      .bind(workspace.id)
      .all<{ id: string }>();
    const ids = results.map(({ id }) => id);
    const { slug } = await createActiveLink(workspace, { settings: { pixels: ids } });
    const { env: noted, sent, calls } = queueing();
    await send(`/${slug}`, { headers: { ...ACCEPTED, "CF-Connecting-IP": ADDRESS }, env: noted });
    await vi.waitFor(() => expect(calls()).toBe(1));
    expect(sent.map(({ body }) => [body.pixels.length, body.visitor !== undefined])).toEqual([
      [20, true],
      [20, false],
      [20, false],
      [20, false],
      [20, false],
    ]);
    expect(sent.flatMap(({ body }) => body.pixels).sort()).toEqual([...ids].sort());
    expect(new Set(sent.map(({ body }) => body.event)).size).toBe(1);
    const text = JSON.stringify(sent);
    expect(text.length).toBeLessThan(20_000);
    expect(text).not.toContain(ADDRESS);
  });

  it("is told to each once: what one does not take now goes on alone, without what it need not know", async () => {
    const workspace = await createWorkspace();
    const meta = await addPixelOf(workspace, { access_token: TOKEN });
    const [slow, slower, refusing] = [
      await addPixelOf(workspace, { provider: "ga4", access_token: TOKEN }),
      await addPixelOf(workspace, { provider: "ga4", access_token: TOKEN }),
      await addPixelOf(workspace, { provider: "ga4", access_token: TOKEN }),
    ];
    await answerWith(slow.tag, [503]);
    await answerWith(slower.tag, ["reset", 429]);
    await answerWith(refusing.tag, [403]);
    const { env: noted, sent } = queueing();
    const event = await eventOf(workspace, [slow, meta, slower, refusing]);
    expect((await deliver(QUEUE, [event], { env: noted })).acked).toEqual([event]);
    const { visitor: _, ...unnamed } = event;
    const rest = { ...unnamed, pixels: [slow.id, slower.id] };
    expect(sent).toEqual([{ body: rest, delaySeconds: 5 }]);
    expect((await deliver(QUEUE, [rest], { env: noted })).acked).toEqual([rest]);
    const last = { ...unnamed, pixels: [slower.id] };
    expect(sent.slice(1)).toEqual([{ body: last, delaySeconds: 5 }]);
    expect((await deliver(QUEUE, [last], { env: noted })).acked).toEqual([last]);
    const told = [];
    for (const { tag } of [meta, slow, slower, refusing]) told.push((await toldOf(tag)).length);
    expect([told, sent.length]).toEqual([[1, 2, 3, 1], 2]);
  });

  it("comes again whole while nobody takes it, and while what is left cannot be queued", async () => {
    const workspace = await createWorkspace();
    const [one, two] = [
      await addPixelOf(workspace, { access_token: TOKEN }),
      await addPixelOf(workspace, { access_token: TOKEN }),
    ];
    await answerWith(one.tag, [503, 503]);
    await answerWith(two.tag, [503]);
    const { env: noted, sent } = queueing();
    const event = await eventOf(workspace, [one, two]);
    expect((await deliver(QUEUE, [event], { env: noted })).retried).toHaveLength(1);
    expect(sent).toEqual([]);
    const PIXEL_EVENTS = { send: () => Promise.reject(new Error("Queue is gone")) };
    const gone = { ...env, PIXEL_EVENTS: PIXEL_EVENTS as unknown as Queue };
    expect((await deliver(QUEUE, [event], { env: gone })).retried).toHaveLength(1);
    expect((await deliver(QUEUE, [event], { env: noted })).acked).toEqual([event]);
    expect([(await toldOf(one.tag)).length, (await toldOf(two.tag)).length]).toEqual([3, 3]);
  });

  it("has no more than five connections at a time", async () => {
    const workspace = await createWorkspace();
    const token = crypto.randomUUID();
    const pixels = [];
    for (let made = 0; made < 4; made++) {
      pixels.push(await addPixelOf(workspace, { provider: "ga4", access_token: token }));
    }
    for (const { tag } of pixels) await answerWith(tag, Array(10).fill("slow"));
    const events = [];
    for (let made = 0; made < 10; made++) events.push(await eventOf(workspace, pixels));
    expect((await deliver(QUEUE, events)).acked).toHaveLength(10);
    expect(await mostAtOnce(token)).toBe(5);
  });

  it("of a message of the shape of before is told as well", async () => {
    const { workspace, pixel } = await newPixel();
    const { pixels, ...visit } = await eventOf(workspace, pixel);
    const former = { ...visit, v: 1, pixel: pixel.id };
    await answerWith(pixel.tag, [500]);
    expect((await deliver(QUEUE, [former])).retried).toMatchObject([{ body: former }]);
    expect((await deliver(QUEUE, [former])).acked).toEqual([former]);
    expect(await toldOf(pixel.tag)).toHaveLength(2);
  });
});

/** A database that reads no pixels, and works else. */
function failingReads(target: D1Database, name: string | symbol) {
  if (name === "prepare") {
    return (sql: string) => {
      if (/pixels\.access_token/.test(sql)) throw new Error("D1_ERROR: no such thing");
      return target.prepare(sql);
    };
  }
  const value = Reflect.get(target, name, target);
  return typeof value === "function" ? value.bind(target) : value;
}
