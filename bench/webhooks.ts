/**
 * `npm run bench:webhooks`: events published through the operator's API to ten local receivers:
 * the lag from publishing to receipt, the rate of deliveries, and what becomes of the other
 * nine's lag when one receiver hangs.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ADMIN_TOKEN, type Contestant, migrate, signpost, start, stopAll } from "./contestant.ts";

const RECEIVERS = 10;
const EVENTS_A_SECOND = 10;
const STEADY_SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const BURST_EVENTS = 300;
const EVENT = { event: "publishing.post.published", channel: "all" };

const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
const lags: number[] = [];
let hanging = false;

/** A receiver that writes down how long each event took; the first hangs when told to. */
async function startReceiver(mayHang: boolean): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (mayHang && hanging) return;
      const { data } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      if (!mayHang) lags.push(Date.now() - Number(data.id));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function call(
  contestant: Contestant,
  path: string,
  token: string,
  body: object,
  method = "POST",
) {
  const answer = await fetch(`http://127.0.0.1:${contestant.port}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      "Idempotency-Key": crypto.randomUUID(),
      "If-Match": "*",
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return JSON.parse(await answer.text());
}

async function publish(contestant: Contestant, workspace: string): Promise<void> {
  const nothing = { title: null, url: null, networks: [], scheduled_at: null, published_at: null };
  const data = { id: String(Date.now()), ...nothing };
  await call(contestant, `/admin/v1/workspaces/${workspace}/events`, ADMIN_TOKEN, {
    ...EVENT,
    data,
  });
}

/** Publishes at a steady rate, waits for what is expected, and tells the lags of the nine. */
async function steady(
  contestant: Contestant,
  workspace: string,
): Promise<{ p50: number; p99: number }> {
  lags.length = 0;
  const events = EVENTS_A_SECOND * STEADY_SECONDS;
  for (let event = 0; event < events; event++) {
    void publish(contestant, workspace);
    await pause(1000 / EVENTS_A_SECOND);
  }
  await untilReceived(events * (RECEIVERS - 1));
  const sorted = lags.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function untilReceived(count: number): Promise<void> {
  for (let waited = 0; lags.length < count; waited++) {
    if (waited > 600) throw new Error(`${lags.length} of ${count} received`);
    await pause(100);
  }
}

async function run(): Promise<boolean> {
  const product = await start("signpost", signpost({ ALLOW_PRIVATE_TARGETS: "true" }));
  await migrate(product);
  const workspaces = "/admin/v1/workspaces";
  const { data } = await call(product, workspaces, ADMIN_TOKEN, { name: "Bench" });
  const keys = `${workspaces}/${data.id}/keys`;
  const { key } = await call(product, keys, ADMIN_TOKEN, { name: "Bench", permissions: ["*"] });
  const endpoints = "/api/v1/workspace-webhooks/endpoints";
  for (let count = 0; count < RECEIVERS; count++) {
    const input = { name: "Bench", url: await startReceiver(count === 0), subscriptions: [EVENT] };
    const made = await call(product, endpoints, key, input);
    await call(product, `${endpoints}/${made.data.id}`, key, { enabled: true }, "PATCH");
  }
  const healthy = await steady(product, data.id);
  lags.length = 0;
  const began = Date.now();
  await Promise.all(Array.from({ length: BURST_EVENTS }, () => publish(product, data.id)));
  await untilReceived(BURST_EVENTS * (RECEIVERS - 1));
  const rate = (BURST_EVENTS * RECEIVERS * 1000) / (Date.now() - began);
  hanging = true;
  const beside = await steady(product, data.id);
  const told = ({ p50, p99 }: { p50: number; p99: number }) => `p50 ${p50} ms, p99 ${p99} ms`;
  console.log(`${EVENTS_A_SECOND} events a second to ${RECEIVERS} receivers: lag ${told(healthy)}`);
  console.log(`a burst of ${BURST_EVENTS} events: ${rate.toFixed(0)} deliveries a second`);
  console.log(`one of ${RECEIVERS} hanging, lag of the others: ${told(beside)}`);
  const ratio = beside.p99 / healthy.p99;
  const met = healthy.p50 <= 2000 && ratio <= 2;
  console.log(
    `webhooks: p50 ${healthy.p50} ms, others' p99 ${ratio.toFixed(2)} times (${met ? "target met" : "TARGET MISSED"})`,
  );
  return met;
}

const passed = await run().finally(stopAll);
process.exit(passed ? 0 : 1);
