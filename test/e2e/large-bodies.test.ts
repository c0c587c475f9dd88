import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueKey } from "../support/node/runtime-client.ts";
import {
  ADMIN_TOKEN,
  createRuntimeHome,
  type Runtime,
  type RuntimeHome,
  startRuntime,
} from "../support/node/runtime-process.ts";
import { openConnection, sendOn, upload } from "../support/node/runtime-upload.ts";

const RUNS = 5;
const FIVE_MEGABYTES = 5 * 1024 * 1024;
const LINKS = "/api/v1/biolinks/links";
const WORKSPACES = "/admin/v1/workspaces";
const NAMED = JSON.stringify({ name: "Body" });
const SENDERS = {
  fast: { chunkBytes: 64 * 1024, pauseMilliseconds: 0 },
  "in small chunks": { chunkBytes: 1024, pauseMilliseconds: 0 },
  slow: { chunkBytes: 64 * 1024, pauseMilliseconds: 2 },
};

let home: RuntimeHome;
let runtime: Runtime;
let key: string;
const operator = { Authorization: `Bearer ${ADMIN_TOKEN}` };

beforeAll(async () => {
  home = createRuntimeHome({ KEY_RATE_LIMIT: "1000" });
  runtime = await startRuntime(home);
  key = await issueKey(runtime.port);
});

afterAll(async () => {
  await runtime?.kill();
  home?.remove();
});

async function connected<Value>(work: (socket: Socket) => Promise<Value>): Promise<Value> {
  const socket = await openConnection(runtime.port);
  try {
    return await work(socket);
  } finally {
    socket.destroy();
  }
}

describe("5 MB sent in chunks", () => {
  const refusals = (): [string, string, Record<string, string>, number][] => [
    ["POST", LINKS, { "x-api-key": key, "Idempotency-Key": "large-body" }, 413],
    ["POST", LINKS, { "Idempotency-Key": "large-body" }, 401],
    ["POST", WORKSPACES, operator, 413],
    ["POST", WORKSPACES, {}, 401],
    ["POST", "/api/v1/nothing", {}, 404],
    ["PUT", "/docs", {}, 405],
  ];

  it.each(Object.entries(SENDERS))(
    "is refused each time, and the connection stays: %s",
    async (_name, sender) => {
      for (const [method, path, headers, status] of refusals()) {
        for (let run = 0; run < RUNS; run++) {
          await connected(async (socket) => {
            const request = { method, path, headers, bytes: FIVE_MEGABYTES, ...sender };
            const refused = await upload(socket, request);
            expect([path, refused.status]).toEqual([path, status]);
            expect(JSON.parse(refused.text).code).toEqual(expect.any(String));
            expect(refused.headers.get("X-Request-Id")).toBeTruthy();
            const next = await sendOn(socket, { method: "GET", path: "/healthz" });
            expect(next.status).toBe(200);
          });
        }
      }
    },
  );
});

describe("a body", () => {
  it("is taken without its length told beforehand", async () => {
    const headers = { ...operator, "Transfer-Encoding": "chunked" };
    const body = `${NAMED.length.toString(16)}\r\n${NAMED}\r\n0\r\n\r\n`;
    const request = { method: "POST", path: WORKSPACES, headers };
    const made = await connected((socket) => sendOn(socket, request, body));
    expect(made.status).toBe(201);
  });

  it("means nothing with GET, however large, and with DELETE", async () => {
    const large = "a".repeat(300 * 1024);
    const list = { method: "GET", path: `${WORKSPACES}?limit=1`, headers: operator };
    expect((await connected((socket) => sendOn(socket, list, large))).status).toBe(200);
    const none = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
    const path = `${WORKSPACES}/${none}/members/${none}`;
    const removal = { method: "DELETE", path, headers: operator };
    expect((await connected((socket) => sendOn(socket, removal, NAMED))).status).toBe(404);
  });

  it("that never ends holds up a refusal for some seconds only", async () => {
    const headers = { "Content-Length": "100" };
    const request = { method: "POST", path: WORKSPACES, headers };
    const began = Date.now();
    expect((await connected((socket) => sendOn(socket, request, "{"))).status).toBe(401);
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it("that never ends is not waited for, with a key or without one", async () => {
    const began = Date.now();
    const answers = await Promise.all(
      [{ "x-api-key": key }, {}].map((who) => {
        const headers = { ...who, "Idempotency-Key": "endless-body", "Content-Length": "1000" };
        const request = { method: "POST", path: LINKS, headers };
        return connected((socket) => sendOn(socket, request, "{"));
      }),
    );
    // The key is judged before the body is waited for.
    expect(answers.map(({ status, text }) => [status, JSON.parse(text).code])).toEqual([
      [422, "malformed_body"],
      [401, "unauthenticated"],
    ]);
    expect(Date.now() - began).toBeLessThan(40_000);
  });

  it("whose sender leaves takes nothing along", async () => {
    for (let run = 0; run < RUNS; run++) {
      const socket = await openConnection(runtime.port);
      const headers = { ...operator, "Content-Length": "100" };
      sendOn(socket, { method: "POST", path: WORKSPACES, headers }, "{").catch(() => undefined);
      socket.destroy();
    }
    const request = { method: "GET", path: `${WORKSPACES}?limit=1`, headers: operator };
    expect((await connected((socket) => sendOn(socket, request))).status).toBe(200);
  });
});
