import { exports } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { generateApiKey } from "../../../../src/access/keys/api-key.ts";
import { readBody } from "../../../../src/api/request-body.ts";
import { FILES, newPng, upload } from "../../../support/files.ts";
import { newAddress, ORIGIN } from "../../../support/http.ts";
import { bytesOf } from "../../../support/sample-files.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const MIB = 1024 * 1024;
const CHUNK = new Uint8Array(64 * 1024);

/**
 * An upload of which so many bytes come, and then nothing, or `drips` a byte now and then, until it is
 * let go.
 */
function hang(
  key: string,
  bytes: number,
  { headers = {}, drips = false }: { headers?: Record<string, string>; drips?: boolean } = {},
) {
  const progress = { sent: 0 };
  let isHeld = true;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = () => {
      isHeld = false;
      resolve();
    };
  });
  const body = new ReadableStream({
    async pull(controller) {
      if (progress.sent < bytes) {
        progress.sent += CHUNK.length;
        controller.enqueue(CHUNK.slice());
        return;
      }
      await (drips ? Promise.race([held, scheduler.wait(500)]) : held);
      if (isHeld) controller.enqueue(new Uint8Array(1));
      else controller.close();
    },
  });
  const request = new Request(ORIGIN + FILES, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "CF-Connecting-IP": newAddress(), ...headers },
    body,
  });
  return { answer: exports.default.fetch(request), letGo, progress };
}

// The clock stands: no request is older than the minute in which a key's count.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});

afterEach(() => {
  vi.useRealTimers();
});

const largePng = () => {
  const png = newPng();
  return bytesOf(png, new Uint8Array(9 * MIB));
};

it("of strangers take no room, though they send an Idempotency-Key", async () => {
  const [workspace, other] = [await createWorkspace(), await createWorkspace()];
  const hanging = [1, 2, 3].map((n) =>
    hang(generateApiKey(workspace.id), 7.9 * MIB, {
      headers: { "Idempotency-Key": `stranger-${n}` },
      drips: true,
    }),
  );
  const meanwhile = await upload(other, largePng());
  for (const { letGo } of hanging) letGo();
  const answers = await Promise.all(hanging.map(({ answer }) => answer));
  expect(meanwhile.status).toBe(201);
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
});

it.each([{}, { "Idempotency-Key": "hanging-upload" }])(
  "of one workspace leave another's room: %o",
  async (headers) => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const hanging = [1, 2, 3].map(() => hang(workspace.key, 7.9 * MIB, { headers, drips: true }));
    const statuses: number[] = [];
    for (const { answer } of hanging) answer.then(({ status }) => statuses.push(status));
    const whole = () => hanging.filter(({ progress }) => progress.sent >= 7.9 * MIB);
    await vi.waitFor(() => expect([statuses, whole().length > 0]).toEqual([[503, 503], true]), {
      timeout: 40_000,
      interval: 100,
    });
    const [theirs, own] = [await upload(other, largePng()), await upload(workspace, largePng())];
    expect(theirs.status).toBe(201);
    expect([own.status, own.body.code]).toEqual([503, "overloaded"]);
    for (const { letGo } of hanging) letGo();
    await Promise.all(hanging.map(({ answer }) => answer));
    expect(statuses).toEqual([503, 503, 422]);
    // All room is free again.
    expect((await upload(workspace, largePng())).status).toBe(201);
  },
);

it("that are refused leave the rest of the body to be taken in", async () => {
  const request = new Request(ORIGIN, { method: "POST", body: CHUNK });
  const hold = () => {
    throw new Error("full");
  };
  await expect(readBody(request, { bytes: MIB, milliseconds: 1000, hold })).rejects.toThrow("full");
  expect(request.body?.locked).toBe(false);
});

it("of a key that works count as one request each, with an Idempotency-Key too", async () => {
  const workspace = await createWorkspace();
  const left = async (headers: Record<string, string>) =>
    (await upload(workspace, newPng(), headers)).headers.get("RateLimit")?.match(/r=(\d+)/)?.[1];
  expect(await left({})).toBe("59");
  expect(await left({ "Idempotency-Key": "counted-once" })).toBe("58");
});

it("end by themselves, and count as requests, with an Idempotency-Key too", async () => {
  const workspace = await createWorkspace();
  const hanging = [{}, { "Idempotency-Key": "breaks-off-1" }].map((headers) =>
    hang(workspace.key, 1, { headers }),
  );
  const answers = await Promise.all(hanging.map(({ answer }) => answer));
  expect(answers.map(({ status }) => status)).toEqual([422, 422]);
  for (const { letGo } of hanging) letGo();
  const next = await upload(workspace, newPng());
  expect(next.headers.get("RateLimit")).toMatch(/r=57/);
});

it("that are refused for their Idempotency-Key count as little as other requests so refused", async () => {
  const workspace = await createWorkspace();
  const keyed = { "Idempotency-Key": "used-already" };
  expect((await upload(workspace, newPng(), keyed)).status).toBe(201);
  expect((await upload(workspace, newPng(), keyed)).status).toBe(409);
  const next = await upload(workspace, newPng());
  expect(next.headers.get("RateLimit")).toMatch(/r=58/);
});

it("are copied by no digest: an isolate has room for few copies of them", async () => {
  const workspace = await createWorkspace();
  const file = largePng();
  const digests = vi.spyOn(crypto.subtle, "digest");
  const sizes = () => digests.mock.calls.map(([, data]) => data.byteLength);
  const keyed = { "Idempotency-Key": "never-copied" };
  const first = await upload(workspace, file, keyed);
  const again = await upload(workspace, file, keyed);
  const largest = Math.max(...sizes());
  digests.mockRestore();
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.headers.get("Idempotency-Replayed")).toBe("true");
  expect((await upload(workspace, newPng(), keyed)).status).toBe(409);
  expect(largest).toBeLessThanOrEqual(MIB);
});
