import { POST_PUBLISHED, type WebhookClient } from "./webhook-client.ts";

const DELIVERIES = "/api/v1/workspace-webhooks/deliveries";
const ENDS_WITHIN_MILLISECONDS = 25_000;

/** The first attempt of a test delivery to an endpoint of its own, once it has ended. */
export async function firstAttempt(client: WebhookClient, url: string) {
  const json = async (method: string, path: string, body?: object) =>
    JSON.parse((await client.call(method, path, body)).text).data;
  const endpoint = await client.createEndpoint(url);
  const { id } = await json("POST", `${endpoint.path}/test`, { event: POST_PUBLISHED.event });
  const end = Date.now() + ENDS_WITHIN_MILLISECONDS;
  while (Date.now() < end) {
    const delivery = await json("GET", `${DELIVERIES}/${id}`);
    if (delivery.attempts[0]?.duration_ms != null) return { ...delivery.attempts[0], delivery };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`The attempt at ${url} does not end.`);
}
