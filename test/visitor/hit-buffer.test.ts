import { env as bindings } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { unpack } from "../../src/features/biolinks/analytics/read-packet.ts";
import type { Env } from "../../src/platform/config.ts";
import type { Hit } from "../../src/visitor/clicks/hit.ts";
import { type HitBindings, HitBuffer } from "../../src/visitor/clicks/hit-buffer.ts";
import { HitPacker, type HitPacket, hitsIn } from "../../src/visitor/clicks/hit-packet.ts";
import { HitPacking } from "../../src/visitor/clicks/hit-packing.ts";
import { DAY_MILLISECONDS } from "../../src/visitor/clicks/salt-days.ts";
import { VisitorHashes } from "../../src/visitor/clicks/visitor-hashes.ts";
import { loggedLines } from "../support/logs.ts";
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

afterEach(() => {
  vi.restoreAllMocks();
});

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

  /** Visits, ten in a row, until something is so; how many. */
  async function visitUntil(buffer: HitBuffer, to: HitBindings, isSo: () => boolean) {
    const sendings: (Promise<void> | undefined)[] = [];
    let visits = 0;
    for (; visits < 50_000 && !isSo(); visits++) {
      const hit = { ...HIT, id: `link-${visits % 1000}`, at: Date.now() };
      sendings.push(buffer.add(hit, undefined, to));
      if (visits % 10 === 0) await scheduler.wait(1);
    }
    expect(isSo()).toBe(true);
    return { visits, sent: Promise.all(sendings) };
  }

  it("are packed by the visits that come meanwhile, but no longer once they wait for the queue", async () => {
    const helped = vi.spyOn(HitPacking.prototype, "help");
    const forgotten = vi.spyOn(VisitorHashes.prototype, "forget");
    const sent: HitPacket[] = [];
    const queue = Promise.withResolvers<void>();
    let isAsked = false;
    const sendBatch = async (messages: { body: HitPacket }[]) => {
      isAsked = true;
      await queue.promise;
      for (const { body } of messages) sent.push(body);
    };
    const to = { CLICKS: { sendBatch }, SALTS: (bindings as unknown as Env).SALTS };
    const buffer = new HitBuffer();
    const first = await visitUntil(buffer, to as unknown as HitBindings, () => isAsked);
    expect(helped).toHaveBeenCalled();
    // Nobody's address lies there for as long as the queue is slow.
    expect(forgotten).toHaveBeenCalled();
    helped.mockClear();
    const last = buffer.add({ ...HIT, at: Date.now() }, undefined, to as unknown as HitBindings);
    expect(helped).not.toHaveBeenCalled();
    queue.resolve();
    await Promise.all([first.sent, last]);
    expect(sent.reduce((sum, packet) => sum + hitsIn(packet), 0)).toBe(first.visits + 1);
  });

  it("that cannot be packed fail no visit, and are told of", async () => {
    const lost = () => loggedLines().filter((line) => line.includes('"clicks_lost"'));
    vi.spyOn(HitPacker.prototype, "add").mockImplementation(() => {
      throw new Error("a row that cannot be packed");
    });
    const to = { CLICKS: {}, SALTS: {} } as unknown as HitBindings;
    const { visits, sent } = await visitUntil(new HitBuffer(), to, () => lost().length > 0);
    await sent;
    const told = lost().map((line) => (JSON.parse(line) as { clicks: number }).clicks);
    expect(told.reduce((sum, clicks) => sum + clicks, 0)).toBe(visits);
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
