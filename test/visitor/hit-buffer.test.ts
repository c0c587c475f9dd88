import { env as bindings } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { unpack } from "../../src/features/biolinks/analytics/read-packet.ts";
import type { Env } from "../../src/platform/config.ts";
import type { Hit } from "../../src/visitor/clicks/hit.ts";
import { type HitBindings, HitBuffer } from "../../src/visitor/clicks/hit-buffer.ts";
import { type HitPacket, hitsIn } from "../../src/visitor/clicks/hit-packet.ts";
import { PERSON } from "../support/visitor.ts";

const MOST_PIECES = 30_000;

const HIT: Hit = {
  workspaceId: "",
  subject: "link",
  id: "a",
  count: "clicks",
  domain: "",
  at: 0,
  as: "visit",
  country: "DE",
  region: "",
  language: "de",
  referrer: "",
  utm: "",
  userAgent: "Mozilla/5.0",
  visitor: undefined,
  address: undefined,
};

describe("an isolate's hits", () => {
  it("are sent at once when there is no room for more, each once, those that come meanwhile too", async () => {
    const sent: HitPacket[] = [];
    const CLICKS = {
      sendBatch: async (messages: { body: HitPacket }[]) => {
        for (const { body } of messages) sent.push(body);
      },
    } as unknown as Queue;
    const to = { CLICKS, SALTS: (bindings as unknown as Env).SALTS };
    const counted = () => sent.reduce((sum, packet) => sum + hitsIn(packet), 0);
    const buffer = new HitBuffer();
    const at = Date.now();
    const hit = { ...HIT, workspaceId: crypto.randomUUID(), at };
    // A piece for each person, and two for the hit that they have in common.
    const add = (person: number) =>
      buffer.add(
        { ...hit, address: `10.0.${person >> 8}.${person & 255}`, at: at + 1 },
        undefined,
        to,
      );
    const [first, ...others] = Array.from({ length: MOST_PIECES - 2 }, (_, person) => add(person));
    expect(first).toBeInstanceOf(Promise);
    const last = others.pop();
    expect(others.every((sending) => sending === undefined)).toBe(true);
    expect(last).toBeInstanceOf(Promise);
    const next = add(0);
    expect(next).toBeInstanceOf(Promise);
    await last;
    // The one after it, which is sent later, may be among them where this took seconds.
    expect(counted()).toBeGreaterThanOrEqual(MOST_PIECES - 2);
    // What the first request would have sent is sent already: it adds nothing.
    await Promise.all([first, next]);
    expect(counted()).toBe(MOST_PIECES - 1);
  });

  it("bear the same hash of who visits again, made at once as soon as agent and salt are known", async () => {
    const sent: string[] = [];
    const sendBatch = async (messages: { body: HitPacket }[]) => {
      for (const { body } of messages)
        for (const { visitors } of unpack(body).hits) sent.push(...visitors);
    };
    const SALTS = { get: async () => new Uint8Array(32).buffer };
    const to = { CLICKS: { sendBatch }, SALTS } as unknown as HitBindings;
    const buffer = new HitBuffer();
    const [at, userAgent] = [Date.now(), PERSON];
    await buffer.add({ ...HIT, at, userAgent, address: "10.0.0.1" }, undefined, to);
    const agent = buffer.recall(userAgent);
    if (!agent) throw new Error("The agent of a hit that was sent is not known.");
    const visitor = buffer.visitorOf(HIT.workspaceId, at, agent, "10.0.0.1");
    expect(sent).toEqual([visitor]);
    await buffer.add({ ...HIT, at: at + 9000, userAgent, visitor }, agent, to);
    expect(sent).toEqual([visitor, visitor]);
  });
});
