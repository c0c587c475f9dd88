import { env as bindings } from "cloudflare:workers";
import { vi } from "vitest";
import { laneName } from "../../src/deliveries/lane-wake-up.ts";
import type { TargetRef } from "../../src/deliveries/targets.ts";
import { EVENT_TYPES } from "../../src/event-types.ts";
import type { DeliveryDetail } from "../../src/features/webhooks/delivery-history/deliveries.schemas.ts";
import type { Env } from "../../src/platform/config.ts";
import { type Answer, operate, type Send } from "./http.ts";
import { newIdempotencyKey, type Workspace } from "./workspace.ts";

export const WEBHOOKS = "/api/v1/workspace-webhooks";
export const ENDPOINTS = `${WEBHOOKS}/endpoints`;
export const env = bindings as unknown as Env & {
  RECEIVER_URL: string;
  MESSAGE_CONNECTOR_URL: string;
  MESSAGE_CONNECTOR_SECRET: string;
};
/** As on a platform host, where only public https targets are sent to. */
export const guardedEnv = {
  ...env,
  ALLOW_PRIVATE_TARGETS: "",
  MESSAGE_CONNECTOR_URL: "",
  META_API_URL: "",
  GOOGLE_ANALYTICS_URL: "",
  PLATFORM_HOST: "sign.example",
};
export const POST_PUBLISHED = { event: "publishing.post.published", channel: "all" };

/** A place at the receiver that is one test's own. `answer` as in internet.ts: `status=500`. */
export function newBox(answer = ""): string {
  return `${env.RECEIVER_URL}/${crypto.randomUUID()}?${answer}`;
}

export interface Received {
  headers: Record<string, string>;
  body: string;
}

export async function receivedBy(box: string): Promise<Received[]> {
  return (await fetch(box.split("?")[0] ?? "")).json();
}

/** Waits until a box has got so many webhooks. */
export function waitForReceived(box: string, count: number): Promise<Received[]> {
  return vi.waitFor(
    async () => {
      const received = await receivedBy(box);
      if (received.length < count) throw new Error(`${received.length} of ${count} received`);
      return received;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Sends with an Idempotency-Key of its own and, unless said otherwise, `If-Match: *`. */
export function change(
  workspace: Workspace,
  method: string,
  path: string,
  body?: object,
  more: Send = {},
): Promise<Answer> {
  const headers = { "Idempotency-Key": newIdempotencyKey(), "If-Match": "*", ...more.headers };
  return workspace.send(method, path, { ...(body && { body }), headers });
}

export function createEndpoint(workspace: Workspace, input: object = {}): Promise<Answer> {
  const plain = { name: "Test", url: newBox(), subscriptions: [POST_PUBLISHED] };
  return change(workspace, "POST", ENDPOINTS, { ...plain, ...input });
}

export interface LiveEndpoint {
  id: string;
  secret: string;
  path: string;
  box: string;
}

/** An endpoint that is switched on. */
export async function createLiveEndpoint(
  workspace: Workspace,
  box = newBox(),
  subscriptions = [POST_PUBLISHED],
): Promise<LiveEndpoint> {
  const { body } = await createEndpoint(workspace, { url: box, subscriptions });
  const path = `${ENDPOINTS}/${body.data.id}`;
  await change(workspace, "PATCH", path, { enabled: true });
  return { id: body.data.id, secret: body.secret, path, box };
}

/** The Durable Object that sends a target's deliveries, and the call that wakes it. */
export function laneOf(workspace: Workspace, target: TargetRef) {
  const stub = env.DELIVERY_LANE.getByName(laneName(workspace.id, target));
  return { stub, wake: () => stub.wake({ v: 1, workspace: workspace.id, target }) };
}

/** Publishes an event's sample, or `data`, through the operator's API. */
export function publish(
  workspace: Workspace,
  { event, channel } = POST_PUBLISHED,
  data?: object,
): Promise<Answer> {
  const sample = EVENT_TYPES.find(({ name }) => name === event)?.sample;
  return operate("POST", `/workspaces/${workspace.id}/events`, {
    event,
    channel,
    data: data ?? sample,
  });
}

/** Waits until an endpoint's newest delivery is as expected; the delivery with its attempts. */
export function waitForDelivery(
  workspace: Workspace,
  endpoint: { path: string },
  isReached: (delivery: DeliveryDetail) => boolean,
): Promise<DeliveryDetail> {
  return vi.waitFor(
    async () => {
      const [newest] = (await workspace.send("GET", `${endpoint.path}/deliveries`)).body.data;
      if (!newest) throw new Error("no delivery");
      const { body } = await workspace.send("GET", `${WEBHOOKS}/deliveries/${newest.id}`);
      if (!isReached(body.data)) throw new Error(JSON.stringify(body.data));
      return body.data;
    },
    { timeout: 60_000, interval: 250 },
  );
}
