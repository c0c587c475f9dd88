import { describe, expect, it } from "vitest";
import type { Send } from "../../support/http.ts";
import {
  change,
  createEndpoint,
  createLiveEndpoint,
  ENDPOINTS,
  newBox,
  POST_PUBLISHED,
  publish,
  WEBHOOKS,
  waitForDelivery,
} from "../../support/webhooks.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  sendAs,
  type Workspace,
} from "../../support/workspace.ts";

const CONTACT_CREATED = { event: "salesbot.contact.created", channel: "whatsapp" };
const ANY_ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

async function publishingKey({ id }: Workspace): Promise<string> {
  const permissions = [
    "webhooks:read",
    "webhooks:write",
    "webhooks:deliveries:read",
    "webhooks:deliveries:retry",
    "publishing:webhooks:subscribe",
  ];
  return (await issueKey(id, { permissions })).key;
}

/** Sends with a fresh Idempotency-Key, and `If-Match` only as said. */
function request(key: string, method: string, path: string, body: object | string, etag?: string) {
  const headers = { "Idempotency-Key": newIdempotencyKey(), ...(etag && { "If-Match": etag }) };
  const send: Send = { headers, ...(body !== "" && { body }) };
  return sendAs(key, method, path, send);
}

describe("a product that the key may not subscribe to", () => {
  it("is refused before If-Match and before the body's faults are told", async () => {
    const workspace = await createWorkspace();
    const key = await publishingKey(workspace);
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}`;
    const wanted = { subscriptions: [POST_PUBLISHED, CONTACT_CREATED] };
    const bodies = [
      wanted,
      { ...wanted, name: "" },
      { ...wanted, secret: "x" },
      { subscriptions: ["?", { event: 1 }, { event: CONTACT_CREATED.event }] },
    ];
    for (const body of bodies) {
      for (const etag of [undefined, '"stale"', "*"]) {
        const { status } = await request(key, "PATCH", path, body, etag);
        expect([body, etag, status]).toEqual([body, etag, 403]);
      }
      expect((await request(key, "POST", ENDPOINTS, { url: 1, ...body })).status).toBe(403);
      expect((await request(key, "PATCH", `${ENDPOINTS}/${ANY_ID}`, body)).status).toBe(404);
    }
    expect(
      (await request(key, "POST", ENDPOINTS, { ...wanted, name: "A", url: newBox() })).status,
    ).toBe(403);
  });

  it("is looked for leniently: any other body is told of as ever", async () => {
    const workspace = await createWorkspace();
    const key = await publishingKey(workspace);
    const path = `${ENDPOINTS}/${(await createEndpoint(workspace)).body.data.id}`;
    for (const body of ["{", "[]", "null", { subscriptions: 7 }, { subscriptions: [null, 1] }]) {
      expect((await request(key, "PATCH", path, body)).status).toBe(428);
      expect((await request(key, "PATCH", path, body, '"stale"')).status).toBe(412);
      expect((await request(key, "PATCH", path, body, "*")).status).toBe(422);
      expect((await request(key, "POST", ENDPOINTS, body)).status).toBe(422);
    }
  });

  it("is refused on everything under its endpoint, whatever else is wrong", async () => {
    const workspace = await createWorkspace();
    const key = await publishingKey(workspace);
    const endpoint = await createLiveEndpoint(workspace, newBox(), [CONTACT_CREATED]);
    await publish(workspace, CONTACT_CREATED);
    const { id } = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "delivered",
    );
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    const calls: [string, string][] = [
      ["PATCH", endpoint.path],
      ["DELETE", endpoint.path],
      ["POST", `${endpoint.path}/test`],
      ["POST", `${endpoint.path}/recover`],
      ["POST", `${endpoint.path}/rotate-secret`],
      ["POST", `${WEBHOOKS}/deliveries/${id}/resend`],
    ];
    for (const [method, path] of calls) {
      for (const etag of [undefined, '"stale"', "*"]) {
        const { status } = await request(key, method, path, method === "DELETE" ? "" : "{", etag);
        expect([method, path, etag, status]).toEqual([method, path, etag, 403]);
      }
    }
    for (const path of [
      endpoint.path,
      `${endpoint.path}/deliveries`,
      `${endpoint.path}/recoveries/${ANY_ID}`,
      `${WEBHOOKS}/deliveries/${id}`,
    ]) {
      expect([path, (await sendAs(key, "GET", path)).status]).toEqual([path, 403]);
    }
  });
});
