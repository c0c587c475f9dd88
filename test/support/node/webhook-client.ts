import { ADMIN_TOKEN } from "./runtime-process.ts";
import { type RawAnswer, sendRaw } from "./runtime-request.ts";

export const POST_PUBLISHED = { event: "publishing.post.published", channel: "all" };
const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";

/** A workspace with a key, spoken to on whatever port its runtime has at the time. */
export interface WebhookClient {
  id: string;
  call(method: string, path: string, body?: object): Promise<RawAnswer>;
  /** What a request of its own needs. */
  headers(): Record<string, string>;
  /** Publishes a post through the operator's API; its id tells it from others. */
  publish(post: string): Promise<RawAnswer>;
  /** An endpoint for posts that is switched on. */
  createEndpoint(url: string): Promise<{ id: string; secret: string; path: string }>;
}

export async function createWebhookClient(portNow: () => number): Promise<WebhookClient> {
  const operate = (path: string, body: object) =>
    sendRaw(portNow(), {
      method: "POST",
      path: `/admin/v1/workspaces${path}`,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      body,
    });
  const { id } = JSON.parse((await operate("", { name: "Webhooks" })).text).data;
  const { key } = JSON.parse(
    (await operate(`/${id}/keys`, { name: "Webhooks", permissions: ["*"] })).text,
  );
  const ownHeaders = () => ({ Authorization: `Bearer ${key}` });
  const call = (method: string, path: string, body?: object) => {
    const headers = { ...ownHeaders(), "Idempotency-Key": crypto.randomUUID(), "If-Match": "*" };
    return sendRaw(portNow(), { method, path, headers, ...(body && { body }) });
  };
  return {
    id,
    call,
    headers: ownHeaders,
    publish: (post) => operate(`/${id}/events`, { ...POST_PUBLISHED, data: postNamed(post) }),
    async createEndpoint(url) {
      const input = { name: "Test", url, subscriptions: [POST_PUBLISHED] };
      const made = JSON.parse((await call("POST", ENDPOINTS, input)).text);
      const path = `${ENDPOINTS}/${made.data.id}`;
      const switched = await call("PATCH", path, { enabled: true });
      if (switched.status !== 200) throw new Error(switched.text);
      return { id: made.data.id, secret: made.secret, path };
    },
  };
}

function postNamed(id: string): object {
  return { id, title: null, url: null, networks: [], scheduled_at: null, published_at: null };
}
