import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/platform/bytes.ts";
import type { Env } from "../../src/platform/config.ts";
import { DaySalts, makeDaySalts } from "../../src/visitor/clicks/day-salts.ts";
import { workIn } from "../support/work.ts";

const env = bindings as unknown as Env;
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;

/** A day of its own in each test, which nobody has made a salt of. */
let today = Math.floor(Date.now() / DAY);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  today += 10;
});
afterEach(() => {
  vi.useRealTimers();
});

function nameOf(day: number): string {
  return `visitors/${new Date(day * DAY).toISOString().slice(0, 10)}`;
}

async function saltOf(day: number): Promise<string | undefined> {
  const salt = await env.SALTS.get(nameOf(day), "arrayBuffer");
  return salt ? toHex(new Uint8Array(salt)) : undefined;
}

/** The job of a minute, at a time of today (UTC). */
function makeAt(time: number, salts: KVNamespace = env.SALTS): Promise<void> {
  vi.setSystemTime(today * DAY + time);
  const work = workIn(crypto.randomUUID());
  return makeDaySalts({ ...work, env: { ...env, SALTS: salts } });
}

/** A KV that does something else before each write. */
function beforeWrites(meanwhile: (name: string) => Promise<void>): KVNamespace {
  return new Proxy(env.SALTS, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== "put") return typeof value === "function" ? value.bind(target) : value;
      return async (...put: Parameters<KVNamespace["put"]>) => {
        await meanwhile(put[0]);
        return target.put(...put);
      };
    },
  });
}

describe("the salt of a day", () => {
  it("is made by the first minute's job when there is none, random, and for no other day", async () => {
    await makeAt(3 * HOUR);
    const salt = await saltOf(today);
    expect(salt).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(salt?.match(/../g)).size).toBeGreaterThan(8);
    expect([await saltOf(today - 1), await saltOf(today + 1)]).toEqual([undefined, undefined]);
  });

  it("is made from noon on of the day before, once, and is another one", async () => {
    await makeAt(12 * HOUR - 1);
    expect(await saltOf(today + 1)).toBeUndefined();
    await makeAt(12 * HOUR);
    const salts = [await saltOf(today), await saltOf(today + 1)];
    expect(salts[1]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(salts).size).toBe(2);
    for (const hours of [13, 23, 24, 30]) await makeAt(hours * HOUR);
    expect([await saltOf(today), await saltOf(today + 1), await saltOf(today + 2)]).toEqual([
      ...salts,
      undefined,
    ]);
  });

  it("is gone when its 48 hours are over", async () => {
    await makeAt(13 * HOUR);
    const { keys } = await env.SALTS.list({ prefix: "visitors/" });
    const ends = Object.fromEntries(keys.map(({ name, expiration }) => [name, expiration]));
    for (const day of [today, today + 1]) {
      expect(ends[nameOf(day)]).toBe(((day + 2) * DAY) / 1000);
    }
  });

  it("is one, when another minute's job begins and ends between a job's look and its write", async () => {
    const written: string[] = [];
    const end = 24 * HOUR - MINUTE;
    const noted = beforeWrites(async (name) => void written.push(name));
    let second: Promise<void> | undefined;
    const slow = beforeWrites(async (name) => {
      second ??= makeAt(end, noted);
      await second;
      written.push(name);
    });
    await makeAt(end, slow);
    await makeAt(end + 59_000, noted);
    expect(written.sort()).toEqual([nameOf(today), nameOf(today + 1)]);
    expect([await saltOf(today), await saltOf(today + 1)]).not.toContain(undefined);
  });

  it("is written once, however many jobs race for it", async () => {
    const puts = vi.fn(async (_name: string) => undefined);
    await Promise.all(Array.from({ length: 8 }, () => makeAt(HOUR, beforeWrites(puts))));
    expect(puts).toHaveBeenCalledOnce();
  });

  it("is one for all who read it, when it is only made at midnight and jobs race for it", async () => {
    const slow = beforeWrites(() => scheduler.wait(Math.random() * 30));
    vi.setSystemTime(today * DAY);
    const jobs = Promise.all(Array.from({ length: 6 }, (_, at) => makeAt(at, slow)));
    // Each an isolate of its own, which knows nothing at first and looks again a minute later.
    const isolates = Array.from({ length: 12 }, () => new DaySalts());
    const read = async (salts: DaySalts, at: number) => {
      await scheduler.wait(at * 4);
      for (;;) {
        const salt = await salts.find(env.SALTS, today);
        if (salt) return toHex(salt);
        vi.setSystemTime(Date.now() + MINUTE);
        await scheduler.wait(5);
      }
    };
    const hashes = await Promise.all(isolates.map(read));
    await jobs;
    expect(new Set(hashes).size).toBe(1);
    expect(await read(new DaySalts(), 0)).toBe(hashes[0]);
  });

  it("is asked for again a minute after there was none, and five seconds after it could not be read", async () => {
    let state: "failing" | "none" | "there" = "failing";
    const reads = new Proxy(env.SALTS, {
      get: () => async () => {
        if (state === "failing") throw new Error("KV GET failed: 500");
        return state === "none" ? null : new Uint8Array(32).buffer;
      },
    });
    const salts = new DaySalts();
    const readAt = async (time: number) => {
      vi.setSystemTime(today * DAY + time);
      return (await salts.find(reads, today)) !== undefined;
    };
    expect(await readAt(0)).toBe(false);
    state = "none";
    // Had it asked by now, it would rest for a minute.
    expect(await readAt(4999)).toBe(false);
    expect(await readAt(5000)).toBe(false);
    state = "there";
    expect(await readAt(64_999)).toBe(false);
    expect(await readAt(65_000)).toBe(true);
  });

  it("is in no isolate's memory when its day is over, so 48 hours after it began nowhere", async () => {
    await makeAt(HOUR);
    const salts = new DaySalts();
    expect(await salts.find(env.SALTS, today)).toBeDefined();
    // KV has let it go: an isolate that held it can hash with it until its day ends, …
    await env.SALTS.delete(nameOf(today));
    salts.forgetPast();
    expect(await salts.find(env.SALTS, today)).toBeDefined();
    // … and no longer, from its first sending after that on.
    vi.setSystemTime((today + 1) * DAY + 1000);
    salts.forgetPast();
    expect(await salts.find(env.SALTS, today)).toBeUndefined();
  });

  it("that its maker died over is made by another, twenty minutes later, not before", async () => {
    const died = beforeWrites(async () => {
      throw new Error("gone");
    });
    await expect(makeAt(HOUR, died)).rejects.toThrow("gone");
    await makeAt(HOUR + 19 * MINUTE);
    expect(await saltOf(today)).toBeUndefined();
    await makeAt(HOUR + 20 * MINUTE);
    expect(await saltOf(today)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("stays what it is when its maker died after writing it", async () => {
    const wrote = new Proxy(env.SALTS, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== "put") return typeof value === "function" ? value.bind(target) : value;
        return async (...put: Parameters<KVNamespace["put"]>) => {
          await target.put(...put);
          throw new Error("gone");
        };
      },
    });
    await expect(makeAt(HOUR, wrote)).rejects.toThrow("gone");
    const salt = await saltOf(today);
    await makeAt(2 * HOUR);
    expect(await saltOf(today)).toBe(salt);
  });
});
