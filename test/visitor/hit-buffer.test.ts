import { env as bindings } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { unpack } from "../../src/features/biolinks/analytics/read-packet.ts";
import type { Env } from "../../src/platform/config.ts";
import type { Hit } from "../../src/visitor/clicks/hit.ts";
import { type HitBindings, HitBuffer } from "../../src/visitor/clicks/hit-buffer.ts";
import { type HitPacket, hitsIn } from "../../src/visitor/clicks/hit-packet.ts";
import { HitPacking } from "../../src/visitor/clicks/hit-packing.ts";
import { DAY_MILLISECONDS } from "../../src/visitor/clicks/salt-days.ts";
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

  it("are packed by the visits that come meanwhile, and each is sent once", async () => {
    const helped = vi.spyOn(HitPacking.prototype, "help");
    const sent: HitPacket[] = [];
    const sendBatch = async (messages: { body: HitPacket }[]) => {
      for (const { body } of messages) sent.push(body);
    };
    const to = { CLICKS: { sendBatch }, SALTS: (bindings as unknown as Env).SALTS };
    const buffer = new HitBuffer();
    const sendings: (Promise<void> | undefined)[] = [];
    let visits = 0;
    for (; visits < 20_000 && helped.mock.calls.length === 0; visits++) {
      const hit = { ...HIT, id: `link-${visits % 1000}`, at: Date.now() };
      sendings.push(buffer.add(hit, undefined, to as unknown as HitBindings));
      if (visits % 10 === 0) await scheduler.wait(1);
    }
    expect(helped).toHaveBeenCalled();
    await Promise.all(sendings);
    expect(sent.reduce((sum, packet) => sum + hitsIn(packet), 0)).toBe(visits);
  });

  it("bear who visits again without the address, as soon as agent and salt are known", async () => {
    // The salt of a day that is over is forgotten: no midnight may come between.
    const at = Math.floor(Date.now() / DAY_MILLISECONDS) * DAY_MILLISECONDS + DAY_MILLISECONDS / 2;
    const clock = vi.spyOn(Date, "now").mockReturnValue(at);
    try {
      const sent: string[] = [];
      const sendBatch = async (messages: { body: HitPacket }[]) => {
        for (const { body } of messages)
          for (const { visitors } of unpack(body).hits) sent.push(...visitors);
      };
      const SALTS = { get: async () => new Uint8Array(32).buffer };
      const to = { CLICKS: { sendBatch }, SALTS } as unknown as HitBindings;
      const buffer = new HitBuffer();
      const visit = async () => {
        const hit: Hit = { ...HIT, at, userAgent: PERSON, address: "10.0.0.1" };
        await buffer.add(hit, buffer.recall(PERSON), to);
        return { visitor: hit.visitor, address: hit.address };
      };
      expect(await visit()).toEqual({ visitor: undefined, address: "10.0.0.1" });
      const [visitor] = sent;
      expect(visitor).toHaveLength(11);
      expect(await visit()).toEqual({ visitor, address: undefined });
      expect(sent).toEqual([visitor, visitor]);
    } finally {
      clock.mockRestore();
    }
  });
});
