import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addUp,
  type CountedClicks,
  type CountedDay,
} from "../../../../src/features/biolinks/analytics/click-counts.ts";
import { countryOf, referrerOf } from "../../../../src/features/biolinks/analytics/referrer.ts";

const HOUR = 3_600_000;

describe("a referrer is counted", () => {
  it.each([
    ["news.bbc.co.uk", "bbc.co.uk"],
    ["bbc.co.uk", "bbc.co.uk"],
    ["M.Facebook.com:443", "facebook.com"],
    ["a.b.c.d.example", "d.example"],
    ["ada.github.io", "ada.github.io"],
    ["x.ada.github.io", "ada.github.io"],
    ["www.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["shop.example.", "shop.example"],
    // Without a registrable domain: the whole host, without its port.
    ["localhost:8787", "localhost"],
    ["github.io", "github.io"],
    ["192.168.1.5:80", "192.168.1.5"],
    // What is no host.
    ["", ""],
    ["(other)", ""],
    ["[2001:db8::1]:8080", ""],
    ["a b.example", ""],
    ["münchen.de", ""],
    ['"onload=1"', ""],
    [`${"a".repeat(300)}`, ""],
  ])("%j as %j", (host, counted) => expect(referrerOf(host)).toBe(counted));

  it("as the same when it is counted again, in ASCII, no longer, and never as `(other)`", () => {
    const hosts = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(hosts, (host) => {
        const counted = referrerOf(host);
        expect(referrerOf(counted)).toBe(counted);
        expect(counted).toMatch(/^[a-z0-9._-]{0,253}$/);
        expect(counted.length).toBeLessThanOrEqual(host.length);
      }),
    );
  });
});

it.each([
  ["DE", "DE"],
  ["T1", "T1"],
  ["de", ""],
  ["DEU", ""],
  ["", ""],
])("a country %j is counted as %j", (given, counted) => expect(countryOf(given)).toBe(counted));

const clicks: fc.Arbitrary<CountedClicks> = fc.record({
  linkId: fc.constantFrom("l1", "l2", "l3"),
  workspaceId: fc.constant("w"),
  hour: fc.integer({ min: 0, max: 60 }).map((hours) => hours * HOUR),
  kind: fc.constantFrom("human", "crawler", "head", "prefetch"),
  country: fc.constantFrom("", "DE", "FR"),
  device: fc.constantFrom("", "mobile"),
  referrer: fc.constantFrom("", ...Array.from({ length: 30 }, (_, at) => `r${at}.example`)),
  clicks: fc.integer({ min: 1, max: 5 }),
});

/** What was counted of each row, by all that tells rows apart. */
function sums(all: Iterable<readonly [string, number]>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, count] of all) found[key] = (found[key] ?? 0) + count;
  return found;
}

function rowsIn([linkId, workspaceId, day, rows]: CountedDay) {
  return rows.map(([hour, kind, country, device, referrer, count]) => {
    expect(Math.floor(hour / (24 * HOUR))).toBe(day);
    const key = [linkId, workspaceId, hour, kind, country, device, referrer].join();
    return [key, count] as const;
  });
}

it("clicks are added up, none lost, in parts that hold a day of a link once and no more than they may", () => {
  fc.assert(
    fc.property(
      fc.array(clicks, { maxLength: 300, size: "max" }),
      fc.integer({ min: 1, max: 60 }),
      (given, rowsAPart) => {
        const parts = addUp(given, rowsAPart);
        const told = given.map(
          (one) =>
            [
              [
                one.linkId,
                one.workspaceId,
                one.hour,
                one.kind,
                one.country,
                one.device,
                one.referrer,
              ].join(),
              one.clicks,
            ] as const,
        );
        const added = parts.flat().flatMap(rowsIn);
        expect(sums(added)).toEqual(sums(told));
        // Each different row once: no row is written twice.
        expect(new Set(added.map(([key]) => key)).size).toBe(added.length);
        for (const [at, part] of parts.entries()) {
          const size = part.flatMap(([, , , rows]) => rows).length;
          if (at < parts.length - 1) expect(size).toBe(rowsAPart);
          else expect(size).toBeLessThanOrEqual(rowsAPart);
          const days = part.map(([linkId, , day]) => `${linkId} ${day}`);
          expect(new Set(days).size).toBe(days.length);
          for (const [, , , rows] of part) {
            const numbers = new Map(rows.map((row) => [row[4], row[6]]));
            const real = [...numbers].filter(([referrer]) => referrer !== "");
            expect(real.map(([, number]) => number)).toEqual(real.map((_, index) => index + 1));
            if (numbers.has("")) expect(numbers.get("")).toBe(0);
          }
        }
      },
    ),
  );
});
