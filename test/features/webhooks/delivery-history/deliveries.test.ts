import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { attempt } from "../../../../src/deliveries/attempt.ts";
import { EVENT_TYPES } from "../../../../src/event-types.ts";
import { endpointTargets } from "../../../../src/features/webhooks/endpoints/endpoints.ports.ts";
import {
  change,
  createLiveEndpoint,
  env,
  guardedEnv,
  newBox,
  POST_PUBLISHED,
  publish,
  receivedBy,
  WEBHOOKS,
  waitForDelivery,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { createWorkspace } from "../../../support/workspace.ts";

describe("an event", () => {
  it("of every kind reaches who is subscribed, signed so that anyone can check", async () => {
    const workspace = await createWorkspace();
    const subscriptions = EVENT_TYPES.map(({ name, channels }) => ({
      event: name,
      channel: channels[0] ?? "",
    }));
    const endpoint = await createLiveEndpoint(workspace, newBox(), subscriptions);
    for (const subscription of subscriptions) {
      expect((await publish(workspace, subscription)).status).toBe(202);
    }
    const received = await waitForReceived(endpoint.box, subscriptions.length);
    expect(received).toHaveLength(subscriptions.length);
    const types = received.map(({ headers, body }) => {
      const event = new Webhook(endpoint.secret).verify(body, headers) as {
        type: string;
        test: boolean;
        workspace: string;
        data: object;
      };
      expect(event).toMatchObject({
        test: false,
        workspace: workspace.id,
        data: EVENT_TYPES.find(({ name }) => name === event.type)?.sample,
      });
      return event.type;
    });
    expect(types.sort()).toEqual(EVENT_TYPES.map(({ name }) => name).sort());
  });

  it("reaches nobody who is not subscribed, is paused, listens to another channel, or is of another workspace", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const contact = { event: "salesbot.contact.created", channel: "whatsapp" };
    const quiet = [
      await createLiveEndpoint(workspace, newBox(), [{ ...contact, channel: "email" }]),
      await createLiveEndpoint(workspace, newBox(), [POST_PUBLISHED]),
      await createLiveEndpoint(other, newBox(), [contact]),
    ];
    const paused = await createLiveEndpoint(workspace, newBox(), [contact]);
    await change(workspace, "PATCH", paused.path, { enabled: false });
    const live = await createLiveEndpoint(workspace, newBox(), [contact]);
    await publish(workspace, contact);
    await waitForReceived(live.box, 1);
    for (const { box } of [...quiet, paused]) expect(await receivedBy(box)).toEqual([]);
    expect((await workspace.send("GET", `${paused.path}/deliveries`)).body.data).toEqual([]);
  });

  it.each([
    ["event", { event: "no.such.event", channel: "all" }, {}],
    ["channel", { event: "publishing.post.published", channel: "whatsapp" }, {}],
    [
      "data.id",
      POST_PUBLISHED,
      { title: null, url: null, networks: [], scheduled_at: null, published_at: null },
    ],
  ])("is refused for its %s", async (field, subscription, data) => {
    const { status, body } = await publish(await createWorkspace(), subscription, data);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});

describe("an attempt", () => {
  it.each([
    [
      "status=200&bytes=10",
      { status: "delivered" },
      { status_code: 200, error: null, response_body: "x".repeat(10) },
    ],
    [
      "status=500&bytes=9000",
      { status: "pending" },
      { status_code: 500, error: "bad_status", response_body: "x".repeat(4096) },
    ],
    [
      "status=302&header=Location:http://169.254.169.254/",
      { status: "pending" },
      { status_code: 302, error: "redirect" },
    ],
    [
      "status=410",
      { status: "failed", next_attempt_at: null },
      { status_code: 410, error: "bad_status" },
    ],
    [
      "status=400&header=webhook-delivery:abort-message",
      { status: "failed" },
      { status_code: 400, error: "bad_status" },
    ],
    ["reset", { status: "pending" }, { status_code: null, error: "connection_failed" }],
  ])("answered with %s is written down for what it was", async (answer, delivery, written) => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox(answer));
    await publish(workspace);
    const seen = await waitForDelivery(
      workspace,
      endpoint,
      ({ attempts }) => attempts[0]?.duration_ms != null,
    );
    expect(seen).toMatchObject({ ...delivery, attempts_count: 1 });
    expect(seen.attempts).toHaveLength(1);
    expect(seen.attempts[0]).toMatchObject({ number: 1, manual: false, ...written });
    expect(await receivedBy(endpoint.box)).toHaveLength(1);
  });

  it("is told with the headers of its answer, but for cookies", async () => {
    const workspace = await createWorkspace();
    const answer = "status=500&header=X-Request-Id:7f3a&header=Set-Cookie:session=secret";
    const endpoint = await createLiveEndpoint(workspace, newBox(answer));
    await publish(workspace);
    const { attempts } = await waitForDelivery(
      workspace,
      endpoint,
      ({ attempts }) => attempts[0]?.duration_ms != null,
    );
    const headers = attempts[0]?.response_headers;
    expect(headers).toMatchObject({ "x-request-id": "7f3a", date: expect.any(String) });
    expect(headers).not.toHaveProperty("set-cookie");
    const refused = await createLiveEndpoint(workspace, "http://127.0.0.1:1/");
    await publish(workspace);
    const unanswered = await waitForDelivery(
      workspace,
      refused,
      ({ attempts }) => attempts[0]?.duration_ms != null,
    );
    expect(unanswered.attempts[0]?.response_headers).toBeNull();
  });

  it("that finds nobody listening is a refused connection", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, "http://127.0.0.1:1/");
    await publish(workspace);
    const seen = await waitForDelivery(
      workspace,
      endpoint,
      ({ attempts }) => attempts[0]?.duration_ms != null,
    );
    expect(seen.attempts[0]?.error).toMatch(/^connection_(refused|failed)$/);
  });

  it("fails with 410, and the endpoint is paused at once and says why until it is switched on again", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=410"));
    await publish(workspace);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "failed");
    const paused = (await workspace.send("GET", endpoint.path)).body.data;
    expect(paused).toMatchObject({ enabled: false, disabled_reason: "gone" });
    const resumed = await change(workspace, "PATCH", endpoint.path, { enabled: true });
    expect(resumed.body.data).toMatchObject({ enabled: true, disabled_reason: null });
  });

  it("is made again after five seconds with the same id, freshly signed", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=500"));
    await publish(workspace);
    const [first, second] = await waitForReceived(endpoint.box, 2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body).toBe(first?.body);
    const waited =
      Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]);
    expect(waited).toBeGreaterThanOrEqual(4);
    for (const { body, headers } of [first, second].filter((one) => one !== undefined)) {
      expect(() => new Webhook(endpoint.secret).verify(body, headers)).not.toThrow();
    }
  });

  it("is not sent where a public name has come to lead to a private address", async () => {
    const target = { enabled: true, failingSince: null, secrets: async () => ["whsec_AAAA"] };
    const delivery = {
      id: crypto.randomUUID(),
      workspaceId: "w",
      number: 1,
      eventId: "e",
      event: "x",
      channel: "all",
      test: false,
      manual: false,
      occurredAt: 0,
      data: "{}",
    };
    for (const [host, error] of [
      ["private.example", "blocked_target"],
      ["mixed.example", "blocked_target"],
      ["broken.example", "dns_error"],
    ]) {
      const outcome = await attempt(
        guardedEnv,
        { ...endpointTargets, isOurs: async () => false },
        delivery,
        {
          ...target,
          url: `https://${host}/hook`,
        },
      );
      expect([host, outcome.error, outcome.statusCode]).toEqual([host, error, null]);
    }
  });
});

describe("deliveries", () => {
  it("can be tested: a sample with test true, which is counted apart", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const test = await change(workspace, "POST", `${endpoint.path}/test`, {
      event: POST_PUBLISHED.event,
    });
    expect([test.status, test.body.data.test, test.body.data.status]).toEqual([
      202,
      true,
      "pending",
    ]);
    const [webhook] = await waitForReceived(endpoint.box, 1);
    expect(JSON.parse(webhook?.body ?? "")).toMatchObject({
      test: true,
      type: POST_PUBLISHED.event,
    });
    await publish(workspace);
    await waitForReceived(endpoint.box, 2);
    const list = async (query: string) =>
      (await workspace.send("GET", `${endpoint.path}/deliveries?${query}`)).body.data;
    expect(await list("test=true")).toHaveLength(1);
    expect(await list("test=false")).toHaveLength(1);
    expect(await list("event=salesbot.contact.created")).toHaveLength(0);
    expect((await workspace.send("GET", `${endpoint.path}/deliveries?status=lost`)).status).toBe(
      422,
    );
  });

  it("are sent again as a new delivery of the same event", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await publish(workspace);
    const original = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    const resent = await change(workspace, "POST", `${WEBHOOKS}/deliveries/${original.id}/resend`);
    expect([resent.status, resent.body.data.resend_of]).toEqual([202, original.id]);
    const received = await waitForReceived(endpoint.box, 2);
    expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([
      original.id,
      resent.body.data.id,
    ]);
    expect(received[1]?.body).toBe(received[0]?.body);
    const again = await waitForDelivery(
      workspace,
      endpoint,
      ({ status, resend_of }) => resend_of !== null && status === "delivered",
    );
    expect(again.attempts[0]?.manual).toBe(true);
    expect(again.payload).toEqual(original.payload);
  });

  it("keep their preconditions", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await publish(workspace);
    const { id, event_id } = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    const resend = () => change(workspace, "POST", `${WEBHOOKS}/deliveries/${id}/resend`);
    const unsubscribed = await change(workspace, "POST", `${endpoint.path}/test`, {
      event: "publishing.post.failed",
    });
    expect([unsubscribed.status, Object.keys(unsubscribed.body.errors)]).toEqual([422, ["event"]]);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    for (const [path, body] of [
      ["test", { event: POST_PUBLISHED.event }],
      ["recover", { since: "2026-01-01T00:00:00Z" }],
    ] as const) {
      expect((await change(workspace, "POST", `${endpoint.path}/${path}`, body)).status).toBe(409);
    }
    expect((await resend()).status).toBe(409);
    const subscriptions = [{ event: "publishing.post.failed", channel: "all" }];
    await change(workspace, "PATCH", endpoint.path, { enabled: true, subscriptions });
    expect((await resend()).status).toBe(409);
    await change(workspace, "PATCH", endpoint.path, { subscriptions: [POST_PUBLISHED] });
    await env.DB.prepare("UPDATE events SET data = NULL WHERE id = ?").bind(event_id).run();
    expect((await resend()).status).toBe(409);
    expect(
      (await workspace.send("GET", `${WEBHOOKS}/deliveries/${id}`)).body.data.payload,
    ).toBeNull();
    const other = await createWorkspace();
    expect((await other.send("GET", `${WEBHOOKS}/deliveries/${id}`)).status).toBe(404);
  });

  it("that failed are recovered by one job, each event once", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(
      workspace,
      newBox("status=400&header=webhook-delivery:abort-message"),
    );
    for (let events = 0; events < 3; events++) await publish(workspace);
    await waitForReceived(endpoint.box, 3);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "failed");
    const box = newBox();
    await change(workspace, "PATCH", endpoint.path, { url: box });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const job = await change(workspace, "POST", `${endpoint.path}/recover`, { since });
    expect([job.status, job.body.data.status]).toEqual([202, "running"]);
    const received = await waitForReceived(box, 3);
    expect(new Set(received.map(({ body }) => JSON.parse(body).id)).size).toBe(3);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "delivered");
    const progress = await workspace.send("GET", `${endpoint.path}/recoveries/${job.body.data.id}`);
    expect(progress.body.data).toMatchObject({ status: "finished", resent: 3 });
    const second = await change(workspace, "POST", `${endpoint.path}/recover`, { since });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const nothing = await workspace.send(
      "GET",
      `${endpoint.path}/recoveries/${second.body.data.id}`,
    );
    expect(nothing.body.data).toMatchObject({ status: "finished", resent: 0 });
  });
});
