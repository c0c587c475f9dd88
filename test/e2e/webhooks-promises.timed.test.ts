import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { firstAttempt } from "../support/node/first-attempt.ts";
import {
  type Slowness,
  type SlowReceivers,
  startSlowReceivers,
} from "../support/node/slow-receivers.ts";
import { setWebhookStage, type WebhookStage } from "../support/node/webhook-stage.ts";

const BUDGET_MILLISECONDS = 15_000;
/** What this machine may be late by, with all of these tests at once. */
const LATE_MILLISECONDS = 500;

/** They came in time. */
const HEADERS = { response_headers: expect.objectContaining({ "content-type": "text/plain" }) };

let stage: WebhookStage<SlowReceivers>;

beforeAll(async () => {
  stage = await setWebhookStage(startSlowReceivers);
});

afterAll(() => stage?.stop());

describe("the budget of an attempt ends it where a receiver", () => {
  test.concurrent.each<[Slowness, object]>([
    ["does not accept the connection", { status_code: null }],
    ["does not finish the TLS handshake", { status_code: null }],
    ["does not answer", { status_code: null }],
    ["sends one header a second", { status_code: null }],
    ["sends hints and no answer", { status_code: null }],
    ["falls silent after the headers", { status_code: 200, ...HEADERS }],
    ["sends one byte a second", { status_code: 200, ...HEADERS }],
    ["sends one chunk a second", { status_code: 200, ...HEADERS }],
    ["takes 8 s for the headers and 8 s for the body", { status_code: 200, ...HEADERS }],
  ])(
    "%s",
    async (slowness, expected) => {
      const ended = await firstAttempt(stage.client, stage.receivers.urlOf(slowness));
      expect(ended).toMatchObject({ error: "timeout", response_body: null, ...expected });
      console.log(`A receiver that ${slowness}: ${ended.duration_ms} ms`);
      expect(ended.duration_ms).toBeGreaterThanOrEqual(BUDGET_MILLISECONDS);
      expect(ended.duration_ms).toBeLessThan(BUDGET_MILLISECONDS + LATE_MILLISECONDS);
    },
    60_000,
  );

  test.concurrent("only: who takes 14 s in all has its delivery", async () => {
    const slowness = "takes 7 s for the headers and 7 s for the body";
    const ended = await firstAttempt(stage.client, stage.receivers.urlOf(slowness));
    expect(ended).toMatchObject({ error: null, status_code: 200, response_body: "ok" });
    expect(ended.delivery.status).toBe("delivered");
  }, 60_000);
});

/** The headers that are promised, in lower case and in order. */
function documentedHeaders(): string[] {
  const [, rows = ""] =
    /\n\| Header .*\n\|[ -|]+\n((?:\|.*\n)+)/.exec(
      readFileSync("docs/receiving-webhooks.md", "utf8"),
    ) ?? [];
  return [...rows.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name.toLowerCase()).sort();
}

test("a receiver gets the headers that it is promised, webhook-id before the others of its kind", async () => {
  const heads: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      heads.push(bytes.toString("latin1").split("\r\n\r\n")[0] ?? "");
      socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { delivery } = await firstAttempt(stage.client, `http://127.0.0.1:${port}/hook?a=b`);
  server.close();
  const [requestLine, ...lines] = heads[0]?.split("\r\n") ?? [];
  console.log(heads[0]);
  expect(requestLine).toBe("POST /hook?a=b HTTP/1.1");
  const headers = lines.map((line): [string, string] => {
    const [name = "", ...value] = line.split(": ");
    return [name.toLowerCase(), value.join(": ")];
  });
  expect(Object.fromEntries(headers)).toMatchObject({
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    "user-agent": `Signpost-Webhooks/${packageJson.version}`,
    "content-length": expect.stringMatching(/^[0-9]+$/),
    "webhook-id": delivery.id,
    "webhook-timestamp": expect.stringMatching(/^[0-9]{10}$/),
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  const runtimes = ["cf-worker"];
  expect(headers.map(([name]) => name).toSorted()).toEqual(
    [...documentedHeaders(), ...runtimes].toSorted(),
  );
  const ours = headers.map(([name]) => name).filter((name) => name.startsWith("webhook-"));
  expect(ours[0]).toBe("webhook-id");
});
