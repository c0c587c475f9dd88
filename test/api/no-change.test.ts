import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  CONTACTS,
  createContact,
  createLabel,
  post,
  SEGMENTS,
  STAGES,
  TAGS,
} from "../support/contacts.ts";
import { createDomain, DOMAINS, newHost } from "../support/domains.ts";
import { type Answer, operate } from "../support/http.ts";
import { createPixel, PIXELS } from "../support/pixels.ts";
import { addPixel } from "../support/records.ts";
import { createEndpoint, ENDPOINTS, newBox, POST_PUBLISHED } from "../support/webhooks.ts";
import {
  createLink,
  createWorkspace,
  LINKS,
  newIdempotencyKey,
  type Workspace,
} from "../support/workspace.ts";

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({ plan: "pro" });
});

function patch(path: string, body: object, ifMatch = "*"): Promise<Answer> {
  return workspace.send("PATCH", path, { headers: { "If-Match": ifMatch }, body });
}

/** What the API tells of a record, its times and revision included. */
async function read(path: string) {
  return (await workspace.send("GET", path)).body.data;
}

/** Each change leaves the record, its revision and its times as they are. */
async function expectNoChange(path: string, changes: object[]): Promise<void> {
  const before = await read(path);
  const etag = `"${before.revision}"`;
  for (const body of changes) {
    for (const ifMatch of [etag, "*"]) {
      const { status, headers, body: answered } = await patch(path, body, ifMatch);
      expect([body, status, headers.get("ETag")]).toEqual([body, 200, etag]);
      expect(before).toMatchObject(answered.data);
    }
    expect((await patch(path, body, '"stale"')).status).toBe(412);
  }
  expect(await read(path)).toEqual(before);
}

/** Each change gives the record a new revision. */
async function expectChange(path: string, changes: object[]): Promise<void> {
  for (const body of changes) {
    const { revision } = await read(path);
    const { status, body: answered } = await patch(path, body, `"${revision}"`);
    expect([body, status]).toEqual([body, 200]);
    expect([body, answered.data.revision]).not.toEqual([body, revision]);
  }
}

describe("a change that changes nothing keeps the revision and the times", () => {
  it("of a link", async () => {
    const pixels = [await addPixel(workspace.id), await addPixel(workspace.id)];
    const utm = { source: "bio", campaign: "spring" };
    const settings = { utm, pixels, http_status: 301, forward_query: true };
    const input = { title: "Sale", destination: "https://example.com/", settings };
    const { id, slug } = (await createLink(workspace, input)).body.data;
    const path = `${LINKS}/${id}`;
    await expectNoChange(path, [
      {},
      { settings: {} },
      { ...input, slug, domain: null, status: "paused" },
      { settings: { utm: { campaign: "spring", source: "bio", medium: null } } },
      { settings: { utm: { source: "bio", medium: "" } } },
      { settings: { pixels: [...pixels, pixels[0]] } },
      { settings: { clear_password: true, sensitive_content: false } },
      { settings: { clear_password: false } },
    ]);
    await expectChange(path, [
      { settings: { utm: { source: null } } },
      { settings: { pixels: pixels.toReversed() } },
      { slug: slug.toUpperCase() },
      { title: null },
      { settings: { password: "secret" } },
      // What a password was is not known: given anew, it is a change.
      { settings: { password: "secret" } },
      { settings: { clear_password: true } },
    ]);
  });

  it("of a link, by the operator's switch", async () => {
    const { id } = (await createLink(workspace)).body.data;
    const path = `${LINKS}/${id}`;
    const flip = (disabled: boolean) =>
      operate("PATCH", `/workspaces/${workspace.id}/links/${id}`, { disabled });
    for (const disabled of [false, true]) {
      const { body: first } = await flip(disabled);
      const { body: second, headers } = await flip(disabled);
      expect(second.data).toEqual(first.data);
      expect(headers.get("ETag")).toBe(`"${first.data.revision}"`);
      expect(await read(path)).toMatchObject(first.data);
    }
  });

  it("of a domain", async () => {
    const path = `${DOMAINS}/${(await createDomain(workspace, newHost())).body.data.id}`;
    await patch(path, { root_url: "https://brand.com/" });
    await expectNoChange(path, [
      {},
      { disabled: false },
      { root_url: "https://brand.com/", not_found_url: null },
    ]);
    await expectChange(path, [{ disabled: true }, { root_url: null }]);
  });

  it("of a pixel", async () => {
    const path = `${PIXELS}/${(await createPixel(workspace, { access_token: "secret" })).id}`;
    const { name, provider, tag, enabled, consent } = await read(path);
    await expectNoChange(path, [
      {},
      { name, provider, tag, enabled, consent },
      { access_token: "" },
    ]);
    await expectChange(path, [
      { enabled: false },
      { consent: "not_required" },
      // What a token was is not compared: given anew, it is a change.
      { access_token: "secret" },
      { access_token: null },
    ]);
    await expectNoChange(path, [{ access_token: null }]);
  });

  it("of a segment", async () => {
    const tags = [
      await createLabel(workspace, TAGS, "A"),
      await createLabel(workspace, TAGS, "B"),
    ] as const;
    const rules = [{ field: "country", op: "in", value: ["GB", "IE"] }];
    const conditions = { match: "all", groups: [{ match: "any", rules }] };
    const input = { name: "A", include_tags: tags, min_days_inactive: 7, conditions };
    const { id } = (await post(workspace, SEGMENTS, input)).body.data;
    const path = `${SEGMENTS}/${id}`;
    await expectNoChange(path, [
      {},
      input,
      { stage: null, exclude_tags: [], include_tags: [...tags, tags[0]] },
      { conditions: { groups: [{ rules, match: "any" }], match: "all" } },
    ]);
    await expectChange(path, [
      { conditions: { match: "any", groups: [{ match: "any", rules }] } },
      { conditions: null },
      { include_tags: [] },
    ]);
  });

  it("of a segment still tells which rules were not understood", async () => {
    const { id, revision } = (await post(workspace, SEGMENTS, { name: "A" })).body.data;
    const conditions = { groups: [{ match: "all", rules: [{ field: "shoe size" }] }] };
    const first = await patch(`${SEGMENTS}/${id}`, { conditions });
    const again = await patch(`${SEGMENTS}/${id}`, { conditions });
    expect(again.body.data).toEqual(first.body.data);
    expect(again.body.data.dropped_rules).toHaveLength(1);
    expect(first.body.data.conditions === null).toBe(first.body.data.revision === revision);
  });

  it("of an endpoint", async () => {
    const url = newBox();
    const subscriptions = [POST_PUBLISHED, { event: "salesbot.contact.created", channel: "sms" }];
    const input = { name: "Shop", url, subscriptions };
    const { id } = (await createEndpoint(workspace, input)).body.data;
    const path = `${ENDPOINTS}/${id}`;
    await expectNoChange(path, [{}, input, { ...input, enabled: false }]);
    await expectChange(path, [{ enabled: true }, { subscriptions: subscriptions.toReversed() }]);
    await expectNoChange(path, [{ enabled: true }]);
    await expectChange(path, [{ enabled: false }]);
  });

  it("of an endpoint that failed: only switching it on forgets that", async () => {
    const { id } = (await createEndpoint(workspace)).body.data;
    const path = `${ENDPOINTS}/${id}`;
    const fail = "UPDATE webhook_endpoints SET failing_since = 1, disabled_reason = ? WHERE id = ?";
    const failingSince = () =>
      env.DB.prepare("SELECT failing_since AS at FROM webhook_endpoints WHERE id = ?")
        .bind(id)
        .first("at");
    await env.DB.prepare(fail).bind("failing", id).run();
    await expectNoChange(path, [{ enabled: false }]);
    expect(await read(path)).toMatchObject({ enabled: false, disabled_reason: "failing" });
    await expectChange(path, [{ enabled: true }]);
    expect([await failingSince(), (await read(path)).disabled_reason]).toEqual([null, null]);
    await env.DB.prepare(fail).bind(null, id).run();
    await expectNoChange(path, [{ enabled: true }]);
    expect(await failingSince()).toBe(1);
  });

  it("of an endpoint never is a rotation", async () => {
    const { id } = (await createEndpoint(workspace)).body.data;
    const seen = new Set([(await read(`${ENDPOINTS}/${id}`)).revision]);
    for (const rotation of [1, 2, 3]) {
      const headers = { "If-Match": "*", "Idempotency-Key": newIdempotencyKey() };
      const body = { immediate: true };
      const path = `${ENDPOINTS}/${id}/rotate-secret`;
      const rotated = await workspace.send("POST", path, { headers, body });
      expect([rotation, rotated.status]).toEqual([rotation, 200]);
      seen.add(rotated.body.data.revision);
    }
    expect(seen.size).toBe(4);
  });

  it("of a contact", async () => {
    const tag = await createLabel(workspace, TAGS, "A");
    const input = { name: "Ada", tags: [tag], custom: { seats: 7, plan: "gold" } };
    const path = `${CONTACTS}/${(await createContact(workspace, input)).id}`;
    await expectNoChange(path, [
      {},
      input,
      { custom: { plan: "gold", nothing: null } },
      { tags: [tag, tag] },
    ]);
    await expectChange(path, [{ custom: { seats: "7" } }, { custom: { plan: null } }]);
  });

  it.each([TAGS, STAGES])("of one of %s", async (labels) => {
    const path = `${labels}/${await createLabel(workspace, labels, "VIP")}`;
    await expectNoChange(path, [{}, { name: "VIP" }, { name: " VIP " }]);
    await expectChange(path, [{ name: "vip" }]);
  });

  it("of a workspace and of its members", async () => {
    const path = `/workspaces/${workspace.id}`;
    const member = (
      await operate("POST", `${path}/members`, { email: "a@b.example", role: "viewer" })
    ).body.data;
    const before = (await operate("GET", path)).body.data;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    try {
      const { features } = before;
      for (const body of [{}, { plan: "pro" }, { status: "active", features }]) {
        expect((await operate("PATCH", path, body)).body.data).toEqual(before);
      }
      const role = (name: string) =>
        operate("PATCH", `${path}/members/${member.id}`, { role: name });
      expect((await role("viewer")).body.data).toEqual(member);
      const changed = (await role("editor")).body.data;
      expect(changed).toMatchObject({ role: "editor" });
      expect(changed.updated_at).not.toBe(member.updated_at);
      const upgraded = (await operate("PATCH", path, { plan: "business" })).body.data;
      expect(upgraded.updated_at).not.toBe(before.updated_at);
    } finally {
      vi.useRealTimers();
    }
  });
});
