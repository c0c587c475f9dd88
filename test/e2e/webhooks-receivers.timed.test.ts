import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstAttempt } from "../support/node/first-attempt.ts";
import {
  type Behaviour,
  FLOOD_BYTES,
  type HostileReceivers,
  startHostileReceivers,
} from "../support/node/hostile-receivers.ts";
import { setWebhookStage, type WebhookStage } from "../support/node/webhook-stage.ts";

const MEBIBYTE = 1024 * 1024;
const FLOODS = 8;

let stage: WebhookStage<HostileReceivers>;

beforeAll(async () => {
  stage = await setWebhookStage(startHostileReceivers);
});

afterAll(() => stage?.stop());

/** The first attempt of a test delivery to a receiver, once it has ended. */
const attempt = (behaviour: Behaviour) =>
  firstAttempt(stage.client, stage.receivers.urlOf(behaviour));

/** Resident memory of the runtime's processes, in bytes. */
function memory(): number {
  let pages = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, , group] = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      if (Number(group) === stage.runtime.group)
        pages += Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return pages * 4096;
}

describe("a receiver", () => {
  test.concurrent.each<[Behaviour, object]>([
    ["drips", { error: "timeout", status_code: 200, response_body: null }],
    ["dripsHeaders", { error: "timeout", status_code: null }],
    ["hangs", { error: "timeout", status_code: null }],
    ["floods", { error: null, status_code: 200, response_body: "x".repeat(4096) }],
    ["resets", { error: "connection_failed", status_code: null }],
    ["closes", { error: "connection_failed", status_code: null }],
    ["cutsTheBody", { error: "connection_failed", status_code: 200 }],
    ["speaksNonsense", { error: "connection_failed", status_code: null }],
    ["continuesFirst", { error: null, status_code: 200, response_body: "ok" }],
    ["redirects", { error: "redirect", status_code: 307 }],
    // The runtime says the same of a refused connection as of one that was lost.
    ["refuses", { error: "connection_failed", status_code: null }],
    ["sendsHugeHeaders", { error: "connection_failed", status_code: null }],
    ["sendsBytes", { error: null, status_code: 200, response_body: expect.stringMatching(/./) }],
    ["isGone", { error: "bad_status", status_code: 410 }],
  ])(
    "that %s gets one attempt, written down for what it was",
    async (behaviour, expected) => {
      const ended = await attempt(behaviour);
      expect(ended).toMatchObject(expected);
      expect(ended.duration_ms).toBeLessThan(17_000);
      expect(ended.delivery.attempts_count).toBe(1);
      expect(Buffer.byteLength(ended.response_body ?? "")).toBeLessThanOrEqual(4096);
    },
    60_000,
  );

  test("that redirects leads nobody anywhere", async () => {
    await attempt("redirects");
    expect(stage.receivers.trapped()).toBe(0);
  });

  test("that floods does not fill the runtime's memory, nor get much of its flood across", async () => {
    await attempt("floods");
    const before = memory();
    const pouredBefore = stage.receivers.poured();
    await Promise.all(Array.from({ length: FLOODS }, () => attempt("floods")));
    const grown = (memory() - before) / MEBIBYTE;
    const taken = (stage.receivers.poured() - pouredBefore) / FLOODS / MEBIBYTE;
    console.log(
      `${FLOODS} floods of 50 MB at a time: memory ${Math.round(before / MEBIBYTE)} MiB, ${grown.toFixed(1)} MiB more than before; ${taken.toFixed(1)} MiB of each left the receiver`,
    );
    expect(grown).toBeLessThan(60);
    expect(taken).toBeLessThan(FLOOD_BYTES / MEBIBYTE / 2);
  }, 60_000);
});
