import { env as bindings } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/platform/config.ts";
import type { SettledHits, Visitors } from "../../src/visitor/clicks/hit.ts";
import { SLOT_MILLISECONDS } from "../../src/visitor/clicks/hit-names.ts";
import { DAY_MILLISECONDS, dayOf, saltName } from "../../src/visitor/clicks/salt-days.ts";
import { VisitorHashes } from "../../src/visitor/clicks/visitor-hashes.ts";

const { SALTS } = bindings as unknown as Env;

const SLOT = Math.floor(Date.now() / SLOT_MILLISECONDS);
const AT = SLOT * SLOT_MILLISECONDS;
const DAY = dayOf(AT);

/** Longer and shorter than what SHA-256 takes at once: 64 bytes. */
const userAgents = fc.oneof(
  fc.constant(""),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: "grapheme", minLength: 10, maxLength: 300 }),
);

/** Some have their user agent in common. */
const people = fc
  .array(userAgents, { minLength: 1, maxLength: 3 })
  .chain((agents) =>
    fc.array(fc.tuple(fc.constantFrom(...agents), fc.ipV4()), { minLength: 1, maxLength: 20 }),
  );

function hitsOf(workspaceId: string, of: [string, string][]): SettledHits {
  return {
    workspaceId,
    subject: "link",
    id: "a",
    count: "clicks",
    slot: SLOT,
    traffic: "human",
    properties: [],
    hits: of.length,
    visitors: [],
    people: of.flat(),
  };
}

/** What KV has of today, read once: it may be slow to answer, and a hash without its salt is none. */
let store: KVNamespace;
let key: CryptoKey;

beforeAll(async () => {
  const salt = await vi.waitFor(async () => {
    const found = await SALTS.get(saltName(DAY), "arrayBuffer");
    if (!found) throw new Error("There is no salt of today yet.");
    return found;
  });
  store = { get: async () => salt } as unknown as KVNamespace;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  key = await crypto.subtle.importKey("raw", salt, algorithm, false, ["sign"]);
});

async function made(
  workspaceId: string,
  of: [string, string][],
  hashes = new VisitorHashes(),
): Promise<Visitors> {
  return (await hashes.hash(hitsOf(workspaceId, of), store)).visitors;
}

function forgetAt(hashes: VisitorHashes, time: number): void {
  const clock = vi.spyOn(Date, "now").mockReturnValue(time);
  try {
    hashes.forget();
  } finally {
    clock.mockRestore();
  }
}

/** By what knows the day's salt: it has hashed somebody of that day. */
async function knowing(): Promise<VisitorHashes> {
  const hashes = new VisitorHashes();
  await made("w", [["a", "10.0.0.1"]], hashes);
  return hashes;
}

/** As record 20 has it, by the platform's own cryptography. */
async function expected(workspaceId: string, userAgent: string, address: string): Promise<string> {
  const text = new TextEncoder().encode(`${workspaceId}\n${userAgent}\n${address}`);
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, text)).subarray(0, 8);
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

describe("a visitor's hash", () => {
  it("is HMAC-SHA-256 of workspace, user agent and address, with the day's salt", async () => {
    const property = fc.asyncProperty(fc.uuid(), people, async (workspaceId, of) => {
      const all = await Promise.all(of.map(([agent, from]) => expected(workspaceId, agent, from)));
      expect(new Set(await made(workspaceId, of))).toEqual(new Set(all));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it("is so of more people and user agents than are hashed at once", async () => {
    const many = Array.from({ length: 600 }, (_, at): [string, string] => [
      `Agent ${at}`,
      `10.0.${at >> 8}.${at & 255}`,
    ]);
    const all = await Promise.all(many.map(([agent, from]) => expected("w", agent, from)));
    expect(await made("w", [...many, ...many])).toEqual(all);
  });

  it("is the same one when it is made at once, of more workspaces and agents than are held", async () => {
    const hashes = await knowing();
    const workspaces = Array.from({ length: 53 }, () => crypto.randomUUID());
    // 53 and 301 have no divisor in common: each person is of a workspace and an agent that are new.
    for (let person = 0; person < 9000; person++) {
      const workspaceId = workspaces[person % 53] ?? "";
      const [agent, address] = [`Agent ${person % 301}`, `10.1.${person >> 8}.${person & 255}`];
      const visitor = hashes.make(workspaceId, AT, agent, address);
      if (person % 97 > 0) expect(visitor).toHaveLength(11);
      else expect(visitor).toBe(await expected(workspaceId, agent, address));
    }
  });

  it("is each person's own, however many have a workspace and an agent in common", async () => {
    const hashes = await knowing();
    const of = (address: string) => hashes.make("w", AT, "a", address);
    const [one, other] = [
      await expected("w", "a", "10.0.0.1"),
      await expected("w", "a", "10.0.0.2"),
    ];
    expect([of("10.0.0.1"), of("10.0.0.2"), of("10.0.0.1")]).toEqual([one, other, one]);
    forgetAt(hashes, AT);
    expect([of("10.0.0.1"), of("10.0.0.2")]).toEqual([one, other]);
  });

  it("counts once who had none at first", async () => {
    const hashes = await knowing();
    const visitor = await expected("w", "a", "10.0.0.1");
    const twice = hitsOf("w", [
      ["a", "10.0.0.1"],
      ["a", "10.0.0.2"],
    ]);
    const counted = await hashes.hash({ ...twice, visitors: [visitor, visitor] }, store);
    expect(counted.visitors).toEqual([visitor, await expected("w", "a", "10.0.0.2")]);
  });

  it("is made at once only with the salt of its own day, for as long as that day is", async () => {
    const midnight = (DAY + 1) * DAY_MILLISECONDS;
    const byName = new Map(
      [DAY, DAY + 1].map((day) => [saltName(day), new Uint8Array(32).fill(day)]),
    );
    const ofBoth = {
      get: async (name: string) => byName.get(name)?.buffer,
    } as unknown as KVNamespace;
    const hashes = new VisitorHashes();
    const make = (at: number) => hashes.make("w", at, "a", "10.0.0.1");
    expect([make(midnight - 1), make(midnight)]).toEqual([undefined, undefined]);
    const slots = [midnight / SLOT_MILLISECONDS - 1, midnight / SLOT_MILLISECONDS];
    const hits = slots.map((slot) => ({ ...hitsOf("w", [["a", "10.0.0.1"]]), slot }));
    const [before, after] = await Promise.all(hits.map((one) => hashes.hash(one, ofBoth)));
    expect(before?.visitors).not.toEqual(after?.visitors);
    expect([make(midnight - 1)]).toEqual(before?.visitors);
    expect([make(midnight)]).toEqual(after?.visitors);
    forgetAt(hashes, midnight + 2000);
    expect(make(midnight - 1)).toBeUndefined();
    expect([make(midnight)]).toEqual(after?.visitors);
  });

  it("takes of an IPv6 address its /64", async () => {
    const of = (address: string) => made("w", [["a", address]]);
    const expectedOne = [await expected("w", "a", "32.1.13.184.0.1.0.2/64")];
    expect(await of("2001:db8:1:2::1")).toEqual(expectedOne);
    expect(await of("2001:db8:1:2:3:4:5:6")).toEqual(expectedOne);
    expect(await of("2001:db8:1:3::1")).toEqual([
      await expected("w", "a", "32.1.13.184.0.1.0.3/64"),
    ]);
  });
});
