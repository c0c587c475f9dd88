import { beforeAll, describe, expect, it } from "vitest";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  newBox,
  publish,
  receivedBy,
  WEBHOOKS,
  waitForDelivery,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

interface Listed {
  id: string;
  event_id: string;
  status: string;
  created_at: string;
  resend_of: string | null;
}

async function read(workspace: Workspace, endpoint: LiveEndpoint, query: Record<string, string>) {
  const search = new URLSearchParams(query);
  const { status, body } = await workspace.send("GET", `${endpoint.path}/deliveries?${search}`);
  return { status, body };
}

async function list(workspace: Workspace, endpoint: LiveEndpoint, query: Record<string, string>) {
  const { status, body } = await read(workspace, endpoint, query);
  expect(status).toBe(200);
  return body.data as Listed[];
}

const ids = (deliveries: Listed[]) => deliveries.map(({ id }) => id);
const later = (time: string, milliseconds: number) =>
  new Date(Date.parse(time) + milliseconds).toISOString();

describe("an endpoint's deliveries", () => {
  let workspace: Workspace;
  let endpoint: LiveEndpoint;
  /** Newest first. */
  let all: Listed[];

  beforeAll(async () => {
    workspace = await createWorkspace();
    endpoint = await createLiveEndpoint(workspace);
    for (let events = 1; events <= 4; events++) {
      await publish(workspace);
      await waitForReceived(endpoint.box, events);
    }
    const [, , second] = await list(workspace, endpoint, {});
    for (let resends = 0; resends < 2; resends++)
      await change(workspace, "POST", `${WEBHOOKS}/deliveries/${second?.id}/resend`);
    await waitForReceived(endpoint.box, 6);
    all = await list(workspace, endpoint, {});
    expect(all).toHaveLength(6);
  });

  it("can be asked for by time: from when, this one included, until when, this one not", async () => {
    const times = all.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().reverse());
    for (const [since, until] of [
      [times[5], times[0]],
      [times[4], times[2]],
      [times[2], undefined],
      [undefined, times[2]],
      [times[3], later(times[3] ?? "", 1)],
      [later(times[0] ?? "", 1), undefined],
      [times[1], times[4]],
    ]) {
      const found = await list(workspace, endpoint, {
        ...(since && { since }),
        ...(until && { until }),
      });
      const expected = all.filter(
        ({ created_at }) => created_at >= (since ?? "") && created_at < (until ?? "~"),
      );
      expect(ids(found)).toEqual(ids(expected));
    }
  });

  it("are paged within a range, and each is there once", async () => {
    const range = { since: all[4]?.created_at ?? "", until: later(all[1]?.created_at ?? "", 1) };
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await read(workspace, endpoint, { ...range, limit: "1", cursor });
      found.push(...ids(body.data));
      cursor = body.next_cursor;
    }
    expect(found).toEqual(ids(all.slice(1, 5)));
  });

  it("take a time of any zone, and a blank for none", async () => {
    const [{ created_at: newest } = { created_at: "" }] = all;
    const inParis = `${later(newest, 7_200_000).slice(0, -1)}+02:00`;
    expect(ids(await list(workspace, endpoint, { since: inParis }))).toEqual(ids(all.slice(0, 1)));
    const blank = { since: "", until: " ", event_id: "" };
    expect(ids(await list(workspace, endpoint, blank))).toEqual(ids(all));
  });

  it("can be asked for by event: its delivery and its resends, page by page, and nobody else's", async () => {
    const event = all.find(({ resend_of }) => resend_of)?.event_id ?? "";
    const ofEvent = all.filter(({ event_id }) => event_id === event);
    expect(ofEvent.map(({ resend_of }) => resend_of)).toEqual([
      ofEvent[2]?.id,
      ofEvent[2]?.id,
      null,
    ]);
    const asked = { event_id: event.toUpperCase() };
    expect(ids(await list(workspace, endpoint, asked))).toEqual(ids(ofEvent));
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await read(workspace, endpoint, { ...asked, limit: "1", cursor });
      found.push(...ids(body.data));
      cursor = body.next_cursor;
    }
    expect(found).toEqual(ids(ofEvent));
    const other = await createLiveEndpoint(workspace);
    expect(await list(workspace, other, asked)).toEqual([]);
    expect(await list(workspace, endpoint, { event_id: crypto.randomUUID() })).toEqual([]);
  });

  it("can be asked for by all of it together", async () => {
    const resend = all.find(({ resend_of }) => resend_of);
    const asked = { event_id: resend?.event_id ?? "", event: "publishing.post.published" };
    const since = { ...asked, since: resend?.created_at ?? "" };
    expect(ids(await list(workspace, endpoint, since))).toEqual([resend?.id]);
    const until = { ...asked, until: resend?.created_at ?? "" };
    expect(await list(workspace, endpoint, until)).toHaveLength(2);
    expect(await list(workspace, endpoint, { ...asked, status: "failed" })).toEqual([]);
    expect(await list(workspace, endpoint, { ...asked, test: "true" })).toEqual([]);
  });

  it.each([
    ["since", "yesterday"],
    ["since", "2026-11-22"],
    ["until", "2026-11-22T25:00:00Z"],
    ["until", "1795330000"],
    ["event_id", "42"],
  ])("are not answered where %s is %s: it is named", async (field, value) => {
    const { status, body } = await read(workspace, endpoint, { [field]: value });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});

describe("what was answered", () => {
  it("is told with its headers, which an attempt without an answer has none of", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=204"));
    await publish(workspace);
    const { id } = await waitForDelivery(workspace, endpoint, ({ status }) => status !== "pending");
    const headersOf = async () =>
      (await workspace.send("GET", `${WEBHOOKS}/deliveries/${id}`)).body.data.attempts[0]
        .response_headers;
    const keep = (json: string | null) =>
      env.DB.prepare(
        "UPDATE target_deliveries SET attempts = json_set(attempts, '$.1.responseHeaders', ?2) WHERE id = ?1",
      )
        .bind(id, json)
        .run();
    await keep('{"content-type":"text/plain","x-request-id":"7f3a"}');
    expect(await headersOf()).toEqual({ "content-type": "text/plain", "x-request-id": "7f3a" });
    await keep(null);
    expect(await headersOf()).toBeNull();
    expect(await receivedBy(endpoint.box)).toHaveLength(1);
  });
});
