import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../../src/event-types.ts";
import { operate } from "../../../support/http.ts";
import {
  change,
  createEndpoint,
  createLiveEndpoint,
  ENDPOINTS,
  newBox,
  POST_PUBLISHED,
  WEBHOOKS,
} from "../../../support/webhooks.ts";
import { createWorkspace, issueKey, sendAs, type Workspace } from "../../../support/workspace.ts";

const EVENTS = `${WEBHOOKS}/events`;
const CONTACT_CREATED = { event: "salesbot.contact.created", channel: "whatsapp" };
const ALL_FEATURES = ["biolinks", "salesbot", "publishing", "webhooks", "automation"];

/** Reads all pages of a list. */
async function pagesOf(key: string, path: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor = "";
  do {
    const { body } = await sendAs(key, "GET", `${path}?limit=${limit}${cursor}`);
    pages.push(body.data.map((one: { id?: string; event?: string }) => one.id ?? one.event));
    cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
  } while (cursor);
  return pages;
}

async function eventsOf(workspace: Workspace): Promise<string[]> {
  const { body } = await workspace.send("GET", EVENTS);
  return body.data.map(({ event }: { event: string }) => event);
}

/** A key of the workspace that may do everything but subscribe to salesbot's events. */
async function publishingKey(workspace: Workspace): Promise<string> {
  const permissions = [
    "webhooks:read",
    "webhooks:write",
    "webhooks:deliveries:retry",
    "publishing:webhooks:subscribe",
  ];
  return (await issueKey(workspace.id, { permissions })).key;
}

describe("GET /endpoints", () => {
  it("is paged, newest first, in full pages of what the key may see", async () => {
    const workspace = await createWorkspace();
    const key = await publishingKey(workspace);
    const seen: string[] = [];
    for (const subscription of [POST_PUBLISHED, CONTACT_CREATED, POST_PUBLISHED, POST_PUBLISHED]) {
      const { body } = await createEndpoint(workspace, { subscriptions: [subscription] });
      if (subscription === POST_PUBLISHED) seen.unshift(body.data.id);
    }
    expect(await pagesOf(key, ENDPOINTS, 2)).toEqual([seen.slice(0, 2), seen.slice(2)]);
    expect(await pagesOf(key, ENDPOINTS, 3)).toEqual([seen]);
    expect((await pagesOf(workspace.key, ENDPOINTS, 100)).flat()).toHaveLength(4);
  });

  it("goes on behind an endpoint that is deleted meanwhile", async () => {
    const workspace = await createWorkspace();
    const ids = [];
    for (let made = 0; made < 3; made++) {
      ids.unshift((await createEndpoint(workspace)).body.data.id);
    }
    const first = await workspace.send("GET", `${ENDPOINTS}?limit=2`);
    await change(workspace, "DELETE", `${ENDPOINTS}/${ids[1]}`);
    const next = await workspace.send("GET", `${ENDPOINTS}?cursor=${first.body.next_cursor}`);
    expect(next.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
  });
});

describe("GET /events", () => {
  it("is paged, in the catalogue's order", async () => {
    const { key } = await createWorkspace();
    const names = EVENT_TYPES.map(({ name }) => name);
    const pages = await pagesOf(key, EVENTS, 5);
    expect(pages.flat()).toEqual(names);
    expect(pages[0]).toHaveLength(5);
  });

  it("goes on behind an event whose feature is switched off meanwhile", async () => {
    const workspace = await createWorkspace();
    const first = await workspace.send("GET", `${EVENTS}?limit=2`);
    await operate("PATCH", `/workspaces/${workspace.id}`, { features: ["webhooks", "salesbot"] });
    const next = await workspace.send("GET", `${EVENTS}?limit=1&cursor=${first.body.next_cursor}`);
    expect(next.body.data[0].event).toBe("salesbot.contact.created");
  });

  it("shows every event of the workspace's features, and whether the key may subscribe", async () => {
    const workspace = await createWorkspace();
    const { body } = await sendAs(await publishingKey(workspace), "GET", EVENTS);
    expect(body.data).toHaveLength(EVENT_TYPES.length);
    for (const { event, permission, subscribable } of body.data) {
      const product = event.split(".")[0];
      expect([permission, subscribable]).toEqual([
        `${product}:webhooks:subscribe`,
        product === "publishing",
      ]);
    }
  });

  it("shows an editor all that it may subscribe to, and a viewer that it may not", async () => {
    const workspace = await createWorkspace();
    const { id } = (await createEndpoint(workspace)).body.data;
    for (const [role, may] of [
      ["editor", true],
      ["viewer", false],
    ] as const) {
      const member = await operate("POST", `/workspaces/${workspace.id}/members`, {
        email: `${role}@example.com`,
        role,
      });
      const { key } = await issueKey(workspace.id, { member: member.body.data.id });
      const events = (await sendAs(key, "GET", EVENTS)).body.data;
      expect(events.map(({ subscribable }: { subscribable: boolean }) => subscribable)).toEqual(
        EVENT_TYPES.map(() => may),
      );
      const endpoints = (await sendAs(key, "GET", ENDPOINTS)).body.data;
      expect(endpoints).toHaveLength(may ? 1 : 0);
      expect((await sendAs(key, "GET", `${ENDPOINTS}/${id}`)).status).toBe(may ? 200 : 403);
    }
  });
});

describe.each([
  ["endpoints", ENDPOINTS],
  ["events", EVENTS],
])("the list of %s", (_name, path) => {
  it.each(["limit=0", "limit=101", "limit=x", "cursor=x", `cursor=${btoa("after:x")}`])(
    "refuses %s",
    async (query) => {
      const { status, body } = await (await createWorkspace()).send("GET", `${path}?${query}`);
      expect([status, Object.keys(body.errors)]).toEqual([422, [query.split("=")[0]]]);
    },
  );
});

describe("an event of a feature that is off", () => {
  const features = (off: string) => ALL_FEATURES.filter((name) => name !== off);

  it.each(["salesbot", "publishing"])("is not listed anywhere: %s", async (off) => {
    const workspace = await createWorkspace({ features: features(off) });
    const listed = await eventsOf(workspace);
    expect(listed).toEqual(
      EVENT_TYPES.filter(({ product }) => product !== off).map(({ name }) => name),
    );
    const me = await workspace.send("GET", "/automation/me");
    expect(me.body.data.events.map(({ event }: { event: string }) => event)).toEqual(listed);
  });

  it("cannot be subscribed to, tested or sampled, and what is there may be said again", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox(), [
      POST_PUBLISHED,
      CONTACT_CREATED,
    ]);
    const hook = { target_url: newBox(), event: CONTACT_CREATED.event };
    const made = await workspace.send("POST", "/automation/subscribe", { body: hook });
    await operate("PATCH", `/workspaces/${workspace.id}`, { features: features("salesbot") });

    const fresh = await createEndpoint(workspace, {
      subscriptions: [POST_PUBLISHED, CONTACT_CREATED],
    });
    expect([fresh.status, fresh.body.errors]).toEqual([
      422,
      { "subscriptions.1.event": ["There is no such event."] },
    ]);
    const patch = (events: object[]) =>
      change(workspace, "PATCH", endpoint.path, { subscriptions: events });
    expect((await patch([CONTACT_CREATED, POST_PUBLISHED])).status).toBe(200);
    const more = await patch([
      CONTACT_CREATED,
      { ...CONTACT_CREATED, event: "salesbot.message.sent" },
    ]);
    expect([more.status, Object.keys(more.body.errors)]).toEqual([422, ["subscriptions.1.event"]]);
    const test = await change(workspace, "POST", `${endpoint.path}/test`, {
      event: CONTACT_CREATED.event,
    });
    expect([test.status, Object.keys(test.body.errors)]).toEqual([422, ["event"]]);

    const again = await workspace.send("POST", "/automation/subscribe", { body: hook });
    expect([again.status, again.body.data.id]).toEqual([200, made.body.data.id]);
    const other = { ...hook, target_url: newBox() };
    for (const answer of [
      await workspace.send("POST", "/automation/subscribe", { body: other }),
      await workspace.send("GET", `/automation/sample/${CONTACT_CREATED.event}`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([422, "unknown_event"]);
    }
  });
});
