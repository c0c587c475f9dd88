import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  newBox,
  POST_PUBLISHED,
  publish,
  WEBHOOKS,
  waitForReceived,
} from "../../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../../support/workspace.ts";

const CONTACT = { event: "salesbot.contact.created", channel: "sms" };

/** An endpoint that had events of two products, failed both, and has those of one by now. */
let workspace: Workspace;
let endpoint: LiveEndpoint;
let ids: { publishing: string; salesbot: string };
let narrow: (method: string, path: string, body?: object) => ReturnType<typeof sendAs>;

beforeAll(async () => {
  workspace = await createWorkspace();
  const box = newBox("status=400&header=webhook-delivery:abort-message");
  endpoint = await createLiveEndpoint(workspace, box, [CONTACT, POST_PUBLISHED]);
  await publish(workspace, CONTACT);
  await publish(workspace);
  await waitForReceived(box, 2);
  const found = await vi.waitFor(async () => {
    const { data } = (await workspace.send("GET", `${endpoint.path}/deliveries?status=failed`))
      .body;
    if (data.length < 2) throw new Error("not failed yet");
    return data as { id: string; event: string }[];
  });
  const of = (event: string) => found.find((one) => one.event === event)?.id ?? "";
  ids = { publishing: of(POST_PUBLISHED.event), salesbot: of(CONTACT.event) };
  await change(workspace, "PATCH", endpoint.path, { subscriptions: [POST_PUBLISHED] });
  const permissions = [
    "webhooks:deliveries:read",
    "webhooks:deliveries:retry",
    "publishing:webhooks:subscribe",
  ];
  const { key } = await issueKey(workspace.id, { permissions });
  narrow = (method, path, body) => {
    const headers = { "If-Match": "*", "Idempotency-Key": newIdempotencyKey() };
    return sendAs(key, method, path, { headers, ...(body && { body }) });
  };
});

describe("who may not subscribe to a product", () => {
  it("does not find its deliveries in the list", async () => {
    const list = async (query = "") =>
      (await narrow("GET", `${endpoint.path}/deliveries${query}`)).body.data;
    expect((await list()).map(({ id }: { id: string }) => id)).toEqual([ids.publishing]);
    expect(await list(`?event=${CONTACT.event}`)).toEqual([]);
  });

  it("is refused them one by one, and their resend, as endpoints are", async () => {
    const path = (id: string) => `${WEBHOOKS}/deliveries/${id}`;
    const read = await narrow("GET", path(ids.salesbot));
    expect([read.status, read.body.code]).toEqual([403, "forbidden"]);
    expect((await narrow("POST", `${path(ids.salesbot)}/resend`)).status).toBe(403);
    expect((await narrow("GET", path(ids.publishing))).status).toBe(200);
    expect((await narrow("GET", path(crypto.randomUUID()))).status).toBe(404);
  });

  it("recovers none of them", async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const dryRun = await narrow("POST", `${endpoint.path}/recover`, { since, dry_run: true });
    expect(dryRun.body.data.deliveries).toBe(1);
    const job = await narrow("POST", `${endpoint.path}/recover`, { since });
    expect(job.status).toBe(202);
    await vi.waitFor(async () => {
      const progress = await narrow("GET", `${endpoint.path}/recoveries/${job.body.data.id}`);
      expect(progress.body.data).toMatchObject({ status: "finished", resent: 1 });
    });
    const { results } = await env.DB.prepare(
      "SELECT resend_of FROM target_deliveries WHERE workspace_id = ? AND resend_of IS NOT NULL",
    )
      .bind(workspace.id)
      .all();
    expect(results).toEqual([{ resend_of: ids.publishing }]);
  });
});
