import { ADMIN_TOKEN, type Contestant } from "../contestant.ts";
import { made, send } from "../neighbour/client.ts";
import { machineNow } from "./clock.ts";
import { openReceivers, type Receiver } from "./receivers.ts";

const EVENT = { event: "publishing.post.published", channel: "all" };
const UNSAID = { title: null, url: null, networks: [], scheduled_at: null, published_at: null };
const ENDPOINTS = "/api/v1/workspace-webhooks/endpoints";
const WORKSPACES = "/admin/v1/workspaces";
const EVENTS_A_BATCH = 100;
const BATCHES_AT_ONCE = 5;
const SINGLES_AT_ONCE = 20;

/** A workspace, and the receivers that its endpoints send posts to. */
export interface Tenant {
  at: Contestant;
  workspace: string;
  key: string;
  endpoints: string[];
  receivers: Receiver[];
}

let published = 0;

/** The number of the last event that was published: those to come have higher ones. */
export const lastPublished = () => published;

/** Takes the next numbers for events that are sent without being published. */
export function countPublished(events: number): void {
  published += events;
}

export async function found(at: Contestant, name: string, receivers: number): Promise<Tenant> {
  const { data } = await made(at, "POST", WORKSPACES, ADMIN_TOKEN, { name, plan: "business" });
  const wanted = { name, permissions: ["*"] };
  const keys = `${WORKSPACES}/${data.id}/keys`;
  const { key } = await made(at, "POST", keys, ADMIN_TOKEN, wanted);
  const tenant: Tenant = { at, workspace: data.id, key, endpoints: [], receivers: [] };
  for (const receiver of await openReceivers(receivers)) {
    tenant.receivers.push(receiver);
    await connect(tenant, receiver.url);
  }
  return tenant;
}

/** An endpoint that wants posts, switched on. */
export async function connect(tenant: Tenant, url: string): Promise<void> {
  const { at, key } = tenant;
  const input = { name: "Bench", url, subscriptions: [EVENT] };
  const { data } = await made(at, "POST", ENDPOINTS, key, input);
  await made(at, "PATCH", `${ENDPOINTS}/${data.id}`, key, { enabled: true });
  tenant.endpoints.push(data.id);
}

/** A test delivery, which wakes the endpoint's lane. */
export async function testEndpoint({ at, key, endpoints }: Tenant): Promise<void> {
  const { event } = EVENT;
  await made(at, "POST", `${ENDPOINTS}/${endpoints[0]}/test`, key, { event });
}

/** An event that says in its data when it was published, and its number. */
function newEvent() {
  published++;
  return { ...EVENT, data: { ...UNSAID, id: `${machineNow()} ${published}` } };
}

export async function publish({ at, workspace }: Tenant): Promise<void> {
  await made(at, "POST", `${WORKSPACES}/${workspace}/events`, ADMIN_TOKEN, newEvent());
}

/** Publishes many at once: in batches, or one by one where there is no operation for batches. */
export async function publishMany(tenant: Tenant, count: number): Promise<"batches" | "singles"> {
  const batches = Array.from({ length: Math.ceil(count / EVENTS_A_BATCH) }, (_, at) =>
    Math.min(EVENTS_A_BATCH, count - at * EVENTS_A_BATCH),
  );
  if (await takesBatches(tenant)) {
    await inTurns(batches, BATCHES_AT_ONCE, (size) => publishBatch(tenant, size));
    return "batches";
  }
  await inTurns(Array(count).fill(0), SINGLES_AT_ONCE, () => publish(tenant));
  return "singles";
}

async function publishBatch({ at, workspace }: Tenant, size: number): Promise<void> {
  const events = Array.from({ length: size }, newEvent);
  await made(at, "POST", `${WORKSPACES}/${workspace}/events/batch`, ADMIN_TOKEN, { events });
}

let batchStatus: number | undefined;

/** Told by an empty batch, which publishes nothing, whatever else it is answered. */
async function takesBatches({ at, workspace }: Tenant): Promise<boolean> {
  if (batchStatus === undefined) {
    const path = `${WORKSPACES}/${workspace}/events/batch`;
    const answer = await send(at, "POST", path, ADMIN_TOKEN, { events: [] });
    await answer.arrayBuffer();
    batchStatus = answer.status;
  }
  return batchStatus !== 404;
}

async function inTurns<T>(
  items: T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const take = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}
