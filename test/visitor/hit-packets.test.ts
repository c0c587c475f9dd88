import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formerHits,
  readFormerHitPacket,
  withoutFormerVisitors,
} from "../../src/features/biolinks/analytics/former-hit-packet.ts";
import {
  readHitPacket,
  unpack,
  withoutVisitors,
} from "../../src/features/biolinks/analytics/read-packet.ts";
import { referrerOf } from "../../src/features/biolinks/analytics/referrer.ts";
import { propertiesOf } from "../../src/visitor/clicks/hit.ts";
import {
  HIT_COUNTS,
  HIT_PROPERTIES,
  HIT_SUBJECTS,
  HIT_TRAFFIC,
} from "../../src/visitor/clicks/hit-names.ts";
import type { CountableHits } from "../../src/visitor/clicks/hit-packet.ts";
import { languageOf, utmOf } from "../../src/visitor/clicks/visit-properties.ts";
import { agentOf } from "../../src/visitor/clicks/visitor-kind.ts";
import { packHits } from "../support/packets.ts";
import { PERSON } from "../support/visitor.ts";

const PACKED = 20_000;
/** What a queue takes a message. */
const MESSAGE_BYTES = 128_000;

/** What is counted as it came; country, region and referrer are looked at when they are read. */
const said: fc.Arbitrary<string[]> = fc
  .record(
    Object.fromEntries(
      HIT_PROPERTIES.map((property) => [
        property,
        fc
          .constantFrom("", ...(SAID_LIKE()[property] ?? []))
          .chain((text) =>
            property.startsWith("utm_") && text
              ? fc.string({ unit: "binary", maxLength: 120 })
              : fc.constant(text),
          ),
      ]),
    ),
  )
  .map((record) => HIT_PROPERTIES.map((property) => record[property] ?? ""));

function SAID_LIKE(): Partial<Record<string, string[]>> {
  return {
    domain: ["go.example"],
    country: ["DE", "T1"],
    region: ["DE-BE", "US-TX"],
    device: ["mobile"],
    browser: ["Chrome", "Samsung Internet for Android"],
    os: ["iOS"],
    language: ["en", "fil"],
    referrer: ["news.example", "bbc.co.uk"],
    utm_source: ["x"],
    utm_medium: ["x"],
    utm_campaign: ["x"],
  };
}

const hash = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .slice(0, 11),
);

const countable: fc.Arbitrary<CountableHits> = fc.record({
  workspaceId: fc.constantFrom(
    "0198c0de-0000-7000-8000-000000000001",
    "0198c0de-0000-7000-8000-000000000002",
  ),
  subject: fc.constantFrom(...HIT_SUBJECTS),
  id: fc.uuid(),
  count: fc.constantFrom(...HIT_COUNTS),
  slot: fc.integer({ min: 0, max: 9_999_999 }),
  traffic: fc.constantFrom(...HIT_TRAFFIC),
  properties: said,
  hits: fc.integer({ min: 1500, max: 1_000_000 }),
  visitors: fc.uniqueArray(hash, { maxLength: 1400, size: "medium" }),
});

/** What was counted, by all that tells hits apart: how many, and who. */
function sums(
  all: Iterable<[name: string, hits: number, visitors: readonly string[]]>,
): Record<string, [number, string[]]> {
  const found: Record<string, [number, string[]]> = {};
  for (const [name, hits, visitors] of all) {
    const [before, who] = found[name] ?? [0, []];
    found[name] = [before + hits, [...new Set([...who, ...visitors])].sort()];
  }
  return found;
}

describe("a packet of hits", () => {
  it("fits into a message, and what goes in comes out, whatever is in it", () => {
    fc.assert(
      fc.property(fc.array(countable, { minLength: 1, maxLength: 120 }), (given) => {
        const packets = packHits(given, () => crypto.randomUUID());
        const read = packets.flatMap((packet) => {
          const text = JSON.stringify(packet);
          expect(new TextEncoder().encode(text).length).toBeLessThan(MESSAGE_BYTES);
          const message = readHitPacket(JSON.parse(text));
          if (!message) throw new Error("A packet cannot be read.");
          const subjects = new Set(unpack(message).hits.map(({ subject }) => subject));
          // What code of before puts off are products' hits, and nobody else's.
          expect([packet.v, subjects.has("product")]).toEqual([packet.v, packet.v === 4]);
          if (packet.v === 4) expect(subjects.size).toBe(1);
          return unpack(message).hits.map((hits) => ({ ...hits, of: packet.workspace }));
        });
        for (const { hits, visitors } of read) {
          expect(hits).toBeGreaterThan(0);
          expect(hits).toBeGreaterThanOrEqual(visitors.length);
        }
        const goneIn = given.map((one): [string, number, readonly string[]] => {
          const { workspaceId, subject, id, count, slot, traffic, properties } = one;
          const name = [workspaceId, subject, id, count, slot, traffic, ...properties].join("\n");
          return [name, one.hits, one.visitors];
        });
        const comeOut = read.map((one): [string, number, readonly string[]] => {
          const texts = HIT_PROPERTIES.map((property) => one.properties[property] ?? "");
          const { of, subject, id, count, slot, traffic } = one;
          const name = [of, subject, id, count, slot, traffic, ...texts].join("\n");
          return [name, one.hits, one.visitors];
        });
        expect(sums(comeOut)).toEqual(sums(goneIn));
      }),
      { numRuns: 50 },
    );
  });

  it("is filled no further than a queue takes it, nor sent half empty: each message is a hop", () => {
    const given = Array.from({ length: 10_000 }, (_, at): CountableHits => {
      const utm = [`s${at}`, "é\u2029".repeat(30), `"${at}"`];
      return {
        workspaceId: "0198c0de-0000-7000-8000-000000000001",
        subject: "link",
        id: crypto.randomUUID(),
        count: "clicks",
        slot: 1_994_700,
        traffic: "human",
        properties: ["", "DE", "DE-BE", "mobile", "Chrome", "Android", "de", "", ...utm, ""],
        hits: 1_000_000,
        visitors: [`${at}`.padStart(11, "v")],
      };
    });
    const packets = packHits(given, () => crypto.randomUUID());
    const sizes = packets.map((packet) => new TextEncoder().encode(JSON.stringify(packet)).length);
    expect(Math.max(...sizes)).toBeLessThan(MESSAGE_BYTES);
    const [all, most] = [sizes.reduce((sum, size) => sum + size), Math.max(...sizes)];
    expect(packets.length).toBeLessThan((3 * all) / most);
    expect(packets.flatMap((packet) => unpack(packet).hits)).toHaveLength(10_000);
  });

  it.each([
    ["alone", 0],
    ["with a visitor each", 1],
    ["with more visitors each than a row has", 501],
  ])("is filled nearly to that with hits of the longest numbers, %s", (_, visitors) => {
    const properties = ["", "DE", "DE-BE", "mobile", "Chrome", "Android", "de", "", "", "", "", ""];
    const given = Array.from(
      { length: Math.ceil(PACKED / (1 + visitors / 10)) },
      (_, at): CountableHits => {
        return {
          workspaceId: "0198c0de-0000-7000-8000-000000000001",
          subject: "link",
          id: `${at % 2000}`,
          count: "clicks",
          slot: 9_999_999,
          traffic: "human",
          properties,
          hits: 9_999_999_999,
          visitors: Array.from({ length: visitors }, (_, who) => `${who}`.padStart(11, "v")),
        };
      },
    );
    const packets = packHits(given, () => crypto.randomUUID());
    const sizes = packets.map((packet) => new TextEncoder().encode(JSON.stringify(packet)).length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThan(MESSAGE_BYTES);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(0.9 * MESSAGE_BYTES);
  });

  it("is of version 4 with products' hits, and only then: code of before leaves it alone", () => {
    const [one, other] = fc.sample(countable, { numRuns: 2, seed: 7 }) as [
      CountableHits,
      CountableHits,
    ];
    const link: CountableHits = { ...one, subject: "link", visitors: [] };
    const product: CountableHits = { ...other, subject: "product", visitors: [] };
    const versions = (...given: CountableHits[]) =>
      packHits(given.map((of) => ({ ...of, workspaceId: link.workspaceId }))).map(({ v }) => v);
    expect([versions(link), versions(product), versions(link, product, link)]).toEqual([
      [3],
      [4],
      [3, 4],
    ]);
    const apart = packHits([
      { ...link, workspaceId: "0198c0de-0000-7000-8000-000000000001" },
      { ...product, workspaceId: "0198c0de-0000-7000-8000-000000000002" },
    ]);
    expect(apart.map(({ v }) => v)).toEqual([3, 4]);
  });

  it("that was written otherwise is refused, not counted by guess", () => {
    const [sets, hits] = [[HIT_PROPERTIES.map(() => 0)], [[0, 1, 0, 1, 0, 4, 1, "AAAAAAAAAAA"]]];
    const whole = { texts: ["", "l"], sets, hits };
    const packed = (inner: unknown) => ({ id: "p", packet: JSON.stringify(inner) });
    expect(unpack(packed(whole)).hits).toHaveLength(1);
    const odd = (at: number, value: unknown) => ({
      ...whole,
      hits: [hits[0]?.map((old, place) => (place === at ? value : old))],
    });
    for (const broken of [
      ...[
        { ...whole, texts: ["", 1] },
        { ...whole, texts: [""] },
        { ...whole, texts: {} },
      ],
      ...[
        { ...whole, sets: [] },
        { ...whole, sets: [[0]] },
        { ...whole, sets: [Array(12).fill(2)] },
      ],
      ...[
        { ...whole, hits: [hits[0]?.slice(1)] },
        { ...whole, hits: ["row"] },
        { ...whole, hits: {} },
      ],
      ...[
        odd(0, 1),
        odd(1, 2),
        odd(2, 5),
        odd(3, 4),
        odd(4, 4),
        odd(5, -1),
        odd(6, "1"),
        odd(7, 1),
      ],
      ...[odd(0, 0.5), { ...whole, hits: [[...(hits[0] ?? []), 1]] }, null, "text", 1],
    ]) {
      expect(() => unpack(packed(broken)), JSON.stringify(broken)).toThrow();
    }
    const message = { v: 3, workspace: crypto.randomUUID(), id: "p", packet: "{}" };
    expect(readHitPacket(message)).toEqual(message);
    expect(readHitPacket({ ...message, v: 4 })).toEqual({ ...message, v: 4 });
    for (const broken of [
      ...[
        { ...message, v: 2 },
        { ...message, v: 5 },
        { ...message, workspace: "w" },
      ],
      ...[
        { ...message, id: "p\nq" },
        { ...message, id: "" },
        { ...message, packet: {} },
      ],
      ...[null, "text"],
    ]) {
      expect(readHitPacket(broken)).toBeUndefined();
    }
  });

  it("of 2026-11-22 still counts, and is refused where it was written otherwise", () => {
    const row = [0, 1, 0, 1, 4, 1, 0, 2, ...HIT_PROPERTIES.slice(2).map(() => 0), 3];
    const packet = {
      ...{ v: 2, workspace: crypto.randomUUID(), id: "p" },
      ...{ texts: ["", "l", "DE", "AAAAAAAAAAA"], hits: [row] },
    };
    const read = readFormerHitPacket(packet);
    expect(read && formerHits(read)).toEqual([
      {
        ...{ subject: "link", id: "l", slot: 4, count: "clicks", traffic: "human", hits: 1 },
        ...{ properties: { country: "DE" }, visitors: ["AAAAAAAAAAA"] },
      },
    ]);
    expect(JSON.stringify(read && withoutFormerVisitors(read))).not.toContain("AAAAAAAAAAA");
    const odd = (at: number, value: unknown) => ({
      ...packet,
      hits: [row.map((old, place) => (place === at ? value : old))],
    });
    for (const broken of [
      ...[
        { ...packet, v: 1 },
        { ...packet, v: 3 },
        { ...packet, texts: [""] },
      ],
      ...[
        { ...packet, hits: [row.slice(2)] },
        { ...packet, hits: ["row"] },
        { ...packet, hits: {} },
      ],
      ...[odd(0, 5), odd(1, 4), odd(2, 4), odd(3, 4), odd(4, -1), odd(5, 0), odd(5, "1")],
      ...[odd(6, 4), odd(6, 0.5), null, "text"],
    ]) {
      expect(readFormerHitPacket(broken)).toBeUndefined();
    }
  });

  it("tells, where it is stored, of the same hits and of no visitor", () => {
    fc.assert(
      fc.property(fc.array(countable, { minLength: 1, maxLength: 20 }), (given) => {
        for (const packet of packHits(given, () => "p")) {
          const stored = withoutVisitors(packet);
          const hits = unpack(packet).hits.map((one) => ({ ...one, visitors: [] }));
          expect(unpack(stored).hits).toEqual(hits);
          for (const visitor of given.flatMap((one) => one.visitors))
            expect(stored.packet.includes(`"${visitor}`)).toBe(false);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("that cannot be read is stored without what is in it", () => {
    const message = {
      v: 3,
      workspace: crypto.randomUUID(),
      id: "p",
      packet: "AAAAAAAAAAA",
    } as const;
    expect(withoutVisitors(message).packet).toBe("");
  });
});

describe("what is counted of a visit", () => {
  it.each([
    ["en-GB,en;q=0.9", "en"],
    ["de", "de"],
    ["FIL-PH", "fil"],
    ["iw-IL", "he"],
    [" pt_BR", "pt"],
    ["zh-Hant-TW;q=1", "zh"],
    ["*", ""],
    ["xq", ""],
    ["english", ""],
    ["qqq-aa", ""],
    ["", ""],
    [null, ""],
  ])("of the languages %j is %j", (accepted, counted) =>
    expect(languageOf(accepted)).toBe(counted),
  );

  it.each([
    ["?utm_source=news&utm_medium=e-mail&utm_campaign=a+b", "news\ne-mail\na b"],
    ["?utm_medium=%20x%20", "\nx\n"],
    ["?a=1&utm_campaign=%F0%9F%8E%88", "\n\n🎈"],
    ["?utm_source=a%0Ab%00%7F%C2%85c", "abc\n\n"],
    [`?utm_source=${"a".repeat(200)}`, `${"a".repeat(120)}\n\n`],
    [`?utm_source=${"%F0%9F%8E%88".repeat(200)}`, `${"🎈".repeat(120)}\n\n`],
    ["?utm_source=&utm_medium=%0A", ""],
    ["?utm_term=x", ""],
    ["?source=utm", ""],
  ])("of the query %j is %j", (search, counted) => expect(utmOf(search)).toBe(counted));

  it("of any query is no control character, and no more than it may be", () => {
    const texts = fc.string({ unit: "binary", maxLength: 400 });
    fc.assert(
      fc.property(texts, texts, (source, campaign) => {
        const query = new URLSearchParams({ utm_source: source, utm_campaign: campaign });
        const parts = utmOf(`?${query}`).split("\n");
        expect([1, 3]).toContain(parts.length);
        for (const part of parts) {
          expect(Array.from(part).length).toBeLessThanOrEqual(120);
          expect(part).not.toMatch(/[\p{Cc}\p{Cs}]/u);
          expect(part.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  const IPAD =
    "Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
  it.each([
    [PERSON, false, "desktop", "Chrome", "Windows"],
    [IPAD, false, "tablet", "Safari", "iOS"],
    ["Googlebot/2.1 (+http://www.google.com/bot.html)", true, "", "Googlebot", ""],
    ["MyOwnThing/7 (something)", false, "", "", ""],
    ["", true, "", "", ""],
  ])("of the user agent %j: crawler %j, %j, %j, %j", (agent, isCrawler, device, browser, os) =>
    expect(agentOf(agent)).toEqual({ isCrawler, device, browser, os }),
  );
});

describe("the host of a referring page", () => {
  const AGENT = { isCrawler: false, device: "", browser: "", os: "" };

  /** As it is in a packet, and as it is counted. */
  function told(referrer: string): string[] {
    const from = { country: "", region: "", language: "", referrer };
    const on = { subject: "link", domain: "", utm: "" } as const;
    const properties = propertiesOf(from, AGENT, on);
    const packed = properties[HIT_PROPERTIES.indexOf("referrer")] ?? "";
    return [packed, referrerOf(packed)];
  }

  it.each([
    "203.0.113.7",
    "203.0.113.7:8080",
    "203.0.113.7.",
    "127.1",
    "0x7f000001",
    "0x7f.0.0.0x1",
    "3405803783",
    "[2001:db8::7]",
    "[2001:db8::7]:8443",
    "[::ffff:203.0.113.7]",
    "2001:db8::7",
    "fe80::1%eth0",
    "(address)",
  ])("%s is an address, which leaves no isolate and is no value", (host) => {
    expect(told(host)).toEqual(["(address)", "(address)"]);
    // Packets of before named it.
    expect(referrerOf(host)).toBe("(address)");
  });

  it.each([
    ["news.bbc.co.uk:8080", "bbc.co.uk"],
    ["localhost:8787", "localhost"],
    ["web1", "web1"],
    ["4chan.org", "4chan.org"],
    ["203.0.113.7.example", "7.example"],
    ["1.2.3.4.de", "4.de"],
    ["deadbeef.example", "deadbeef.example"],
    ["0x.example", "0x.example"],
    ["", ""],
  ])("%s is %j", (host, counted) => {
    expect(told(host)).toEqual([host, counted]);
  });
});
