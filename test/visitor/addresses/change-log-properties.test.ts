import { env as bindings } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/platform/config.ts";
import { type Asked, addressName, type Found } from "../../../src/visitor/addresses/address.ts";
import { ChangeLog } from "../../../src/visitor/addresses/change-log.ts";
import {
  type Change,
  continued,
  LastChanges,
  MOST_READ,
  windowOf,
} from "../../../src/visitor/addresses/change-window.ts";
import { HeldAddresses } from "../../../src/visitor/addresses/held-addresses.ts";
import { SHARED_PREFIX } from "../../../src/visitor/addresses/shared-cache.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Addresses, of two hosts and two workspaces, and all that may change of them. */
const ADDRESSES: (Asked & { workspaceId: string | null })[] = [
  { host: "", slugKey: "a", workspaceId: "w" },
  { host: "", slugKey: "b", workspaceId: null },
  { host: "go.example", slugKey: "a", workspaceId: "w" },
  { host: "go.example", slugKey: "", workspaceId: "v" },
];
const THINGS: [Change[1], string][] = [
  ...ADDRESSES.map((address): [Change[1], string] => ["address", addressName(address)]),
  ["host", "go.example"],
  ["workspace", "w"],
  ["workspace", "v"],
  ["address", "/of-nobody"],
];

function names([, scope, name]: Change, address: (typeof ADDRESSES)[number]): boolean {
  return [
    `address ${addressName(address)}`,
    `host ${address.host}`,
    `workspace ${address.workspaceId}`,
  ].includes(`${scope} ${name}`);
}

/** The log as the database has it: ids without gaps, its beginning cleaned away. */
class Log {
  readonly all: Change[] = [];
  reads = 0;
  /** Of how many states ago whoever reads sees it: a replica is behind. */
  lag = 0;
  readonly #states = [{ cleaned: 0, end: 0 }];

  /** The last change that whoever reads sees. */
  get end(): number {
    return this.#seen.end;
  }

  get #seen() {
    return this.#states.at(-1 - this.lag) ?? { cleaned: 0, end: 0 };
  }

  add(thing: number): void {
    const [scope, name] = THINGS[thing % THINGS.length] as [Change[1], string];
    this.all.push([this.all.length + 1, scope, name]);
    this.#states.push({ cleaned: this.#states.at(-1)?.cleaned ?? 0, end: this.all.length });
  }

  /** But for the last one. */
  clean(kept: number): void {
    const last = this.#states.at(-1) ?? this.#seen;
    const cleaned = Math.max(last.cleaned, last.end - Math.max(kept, 1));
    this.#states.push({ ...last, cleaned });
  }

  /** From one on, or the latest. */
  read(from?: number): Change[] {
    this.reads++;
    const seen = this.all.slice(this.#seen.cleaned, this.end);
    if (from === undefined) return seen.slice(-MOST_READ);
    return seen.filter(([id]) => id >= from).slice(0, MOST_READ);
  }

  get database(): D1Database {
    const answer = (from?: number) => async () => ({
      results: this.read(from).map(([id, scope, name]) => ({ id, scope, name })),
    });
    const prepare = () => ({
      all: answer(),
      bind: (from: number) => ({ all: answer(from) }),
    });
    const getBookmark = () => String(this.end);
    return { withSession: () => ({ prepare, getBookmark }) } as unknown as D1Database;
  }
}

/** What an isolate holds, and follows the log with. */
class Isolate {
  readonly held = new HeldAddresses();
  readonly log = new ChangeLog({
    changed: (changes) => this.held.dropChanged(changes),
    lostTrack: (mayHold) => this.held.dropWhere((one) => !mayHold(one, one.asked)),
  });
}

/** Waits until the shared cache has what was just read, up to its end. */
async function isShared(url: string, end: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const window = await (await caches.default.match(url))?.json<{ head: number }>();
    if (window?.head === end) return;
    await scheduler.wait(1);
  }
  throw new Error("The shared cache has not got what was read.");
}

const lag = fc.oneof(fc.constant(0), fc.nat(3));
const isolate = fc.nat(1);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("change"), thing: fc.nat(20) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("load"), isolate, at: fc.nat(3), isLate: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("follow"), isolate, lag, isCold: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clean"), kept: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("flood"), by: fc.constantFrom(998, 1100, 2900, 3100) }),
  },
);

describe("two isolates that follow the log", () => {
  it("hold nothing as unchanged that has changed, whatever is cleaned, and however far replicas are behind", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const log = new Log();
        const host = `${crypto.randomUUID()}.example`;
        const env = { ...bindings, DB: log.database, PLATFORM_HOST: host } as unknown as Env;
        const cached = `https://${host}${SHARED_PREFIX}changes`;
        const isolates = [new Isolate(), new Isolate()] as const;
        /** As far as the shared window goes. */
        let shared = 0;
        for (const one of steps) {
          vi.setSystemTime(Date.now() + 1000);
          if ("thing" in one) log.add(one.thing);
          else if ("by" in one) for (let at = 0; at < one.by; at++) log.add(7);
          else if ("kept" in one) log.clean(one.kept);
          else if ("at" in one) {
            const { held, log: follower } = isolates[one.isolate] as Isolate;
            const asked = ADDRESSES[one.at] as (typeof ADDRESSES)[number];
            const { asOf, from } = one.isLate ? follower.atPrimary : follower.anywhere;
            // Whoever reads from there knows of all these changes, and maybe of later ones.
            const known = from === "primary" ? log.all.length : Number(from.notBefore);
            expect(known).toBeGreaterThanOrEqual(asOf);
            const found: Found = {
              link: null,
              elsewhere: null,
              asOf,
              workspaceId: asked.workspaceId,
            };
            if (follower.mayHold(found, asked)) held.keep(asked, found, 1e9);
          } else {
            if (one.isCold) await caches.default.delete(cached);
            log.lag = one.lag;
            const { reads } = log;
            const { held, log: follower } = isolates[one.isolate] as Isolate;
            await follower.follow(env);
            if (log.reads > reads) {
              shared = log.end;
              await isShared(cached, shared);
            }
            for (const address of ADDRESSES) {
              const entry = held.get(addressName(address));
              if (!entry) continue;
              const missed = log.all.filter(
                (change) => change[0] > entry.asOf && change[0] <= shared && names(change, address),
              );
              expect(missed).toEqual([]);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("where look-ups are read from", () => {
  async function stage() {
    vi.useFakeTimers({ toFake: ["Date"] });
    const host = `${crypto.randomUUID()}.example`;
    const cached = (name: string) => `https://${host}${SHARED_PREFIX}${encodeURIComponent(name)}`;
    /** Has an isolate read the log: it finds what others read before, but not just now. */
    const follow = async ({ log: follower }: Isolate, log: Log) => {
      vi.setSystemTime(Date.now() + 60_000);
      await caches.default.delete(cached("changes"));
      await follower.follow({
        ...bindings,
        DB: log.database,
        PLATFORM_HOST: host,
      } as unknown as Env);
      await isShared(cached("last changes"), log.end);
    };
    const logOf = (changes: number) => {
      const log = new Log();
      for (let at = 0; at < changes; at++) log.add(at);
      return log;
    };
    return { follow, logOf };
  }

  it("is a replica that knows the reading before the last, also of an isolate that has just begun", async () => {
    const { follow, logOf } = await stage();
    const log = logOf(2);
    const [one, other] = [new Isolate(), new Isolate()];
    await follow(one, log);
    expect(one.log.anywhere).toEqual({ asOf: 2, from: "primary" });
    log.add(0);
    await follow(other, log);
    expect(other.log.anywhere).toEqual({ asOf: 2, from: { notBefore: "2" } });
    expect(other.log.atPrimary).toEqual({ asOf: 3, from: "primary" });
    log.add(0);
    await follow(one, log);
    expect(one.log.anywhere).toEqual({ asOf: 2, from: { notBefore: "2" } });
    await follow(one, log);
    expect(one.log.anywhere).toEqual({ asOf: 4, from: { notBefore: "4" } });
  });

  it.each([
    ["a backup was restored", (logOf: (changes: number) => Log) => logOf(2)],
    [
      "more has changed than it can read on",
      (logOf: (changes: number) => Log) => logOf(4 * MOST_READ),
    ],
  ])("is the primary after %s", async (_, next) => {
    const { follow, logOf } = await stage();
    for (const isolate of [new Isolate(), new Isolate()]) {
      const log = logOf(5);
      await follow(isolate, log);
      await follow(isolate, log);
      const after = next(logOf);
      await follow(isolate, after);
      expect(isolate.log.anywhere).toEqual({ asOf: after.end, from: "primary" });
      const begun = new Isolate();
      await follow(isolate, log);
      await follow(begun, after);
      expect(begun.log.anywhere).toEqual({ asOf: after.end, from: "primary" });
    }
  });
});

describe("a window of the log", () => {
  it("that goes on from another one misses nothing in between, or there is none", () => {
    const change = fc.nat(7);
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 30 }),
        fc.array(change, { maxLength: 30 }),
        fc.nat(30),
        fc.subarray([...Array(60).keys()]),
        (before, since, from, gone) => {
          const log = new Log();
          for (const thing of before) log.add(thing);
          log.clean(from);
          const window = windowOf({ changes: log.read(), bookmark: null }, "one");
          for (const thing of since) log.add(thing);
          // The database's clock may have been set back: any of the oldest may be cleaned.
          const read = log.read(window.head).filter(([id]) => !gone.includes(id));
          const next = continued(window, { changes: read, bookmark: null }, "two");
          if (!next) return;
          const all = log.all.filter(([id]) => id > next.since && id <= next.head);
          expect(next.changes).toEqual(all);
          const last = new LastChanges(next);
          for (const address of ADDRESSES) {
            for (let asOf = 0; asOf <= next.head; asOf++) {
              const found = { link: null, elsewhere: null, asOf, workspaceId: address.workspaceId };
              const hasChanged = log.all.some(
                (one) => one[0] > asOf && one[0] <= next.head && names(one, address),
              );
              if (hasChanged) expect(last.isOutdated(found, address)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("what is held", () => {
  const nothing = { link: null, elsewhere: null, workspaceId: null, asOf: 0 };
  const asked = (at: number): Asked => ({ host: "", slugKey: `slug-${at}`.padEnd(9) });

  it("never takes more than its bytes", () => {
    const act = fc.oneof(
      fc.record({ keep: fc.nat(30), length: fc.nat(3000) }),
      fc.record({ use: fc.nat(30) }),
      fc.record({ drop: fc.nat(30) }),
    );
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 80 }),
        fc.integer({ min: 0, max: 20_000 }),
        (acts, most) => {
          const held = new HeldAddresses();
          for (const one of acts) {
            if ("keep" in one) {
              held.keep(asked(one.keep), { ...nothing, elsewhere: "x".repeat(one.length) }, most);
            } else if ("drop" in one) held.drop(addressName(asked(one.drop)));
            else {
              const entry = held.get(addressName(asked(one.use)));
              if (entry) entry.isUsed = true;
            }
            let bytes = 0;
            for (let at = 0; at <= 30; at++) bytes += held.get(addressName(asked(at)))?.bytes ?? 0;
            expect(bytes).toBeLessThanOrEqual(most);
          }
        },
      ),
    );
  });

  it("is what was visited, rather than what was not", () => {
    const { bytes } = new HeldAddresses().keep(asked(0), nothing, 1e9);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (isVisited) => {
        const held = new HeldAddresses();
        const most = bytes * isVisited.length;
        const get = (at: number) => held.get(addressName(asked(at)));
        for (const [at, visited] of isVisited.entries()) {
          held.keep(asked(at), nothing, most);
          const entry = get(at);
          if (visited && entry) entry.isUsed = true;
        }
        const unvisited = isVisited.filter((visited) => !visited).length;
        // As many new ones as others may go for.
        for (let more = 0; more < unvisited; more++) {
          held.keep(asked(100 + more), nothing, most);
        }
        for (const [at, visited] of isVisited.entries())
          expect(get(at) !== undefined, `${at}`).toBe(visited);
      }),
    );
  });
});
