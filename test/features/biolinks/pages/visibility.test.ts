import { describe, expect, it } from "vitest";
import { BlockVisibility } from "../../../../src/features/biolinks/pages/blocks/visibility.schemas.ts";
import {
  type Audience,
  isVisible,
  joinParts,
  nextBoundary,
  type Visibility,
} from "../../../../src/visitor/bio-pages/page-parts.ts";

const at = (changes: Partial<Audience>): Audience => ({
  now: 1000,
  country: "DE",
  device: "mobile",
  ...changes,
});

describe("Who is shown a block", () => {
  const cases: [string, Visibility | null, Partial<Audience>, boolean][] = [
    ["nothing said", null, {}, true],
    ["nothing in it", {}, {}, true],
    ["a millisecond early", { starts_at: 1001 }, {}, false],
    ["at the start", { starts_at: 1000 }, {}, true],
    ["a millisecond before the end", { ends_at: 1001 }, {}, true],
    ["at the end", { ends_at: 1000 }, {}, false],
    ["within both", { starts_at: 0, ends_at: 2000 }, {}, true],
    ["a country that is in", { countries: { in: ["AT", "DE"] } }, {}, true],
    ["a country that is not in", { countries: { in: ["AT"] } }, {}, false],
    ["an unknown country and `in`", { countries: { in: ["AT"] } }, { country: null }, false],
    ["a country that is shut out", { countries: { not_in: ["DE"] } }, {}, false],
    ["a country that is not shut out", { countries: { not_in: ["AT"] } }, {}, true],
    ["an unknown country and `not_in`", { countries: { not_in: ["AT"] } }, { country: null }, true],
    ["a device that is named", { devices: ["tablet", "mobile"] }, {}, true],
    ["a device that is not named", { devices: ["desktop"] }, {}, false],
    ["the right time, the wrong device", { starts_at: 1, devices: ["desktop"] }, {}, false],
    [
      "the right device, the wrong country",
      { devices: ["mobile"], countries: { in: ["FR"] } },
      {},
      false,
    ],
  ];
  it.each(cases)("%s", (_case, visibility, audience, shown) => {
    expect(isVisible(visibility, at(audience))).toBe(shown);
  });
});

describe("The next boundary", () => {
  const cases: [string, (Visibility | null)[], number | null][] = [
    ["of no block", [], null],
    ["of a block without times", [null, {}], null],
    ["is a start that comes", [{ starts_at: 1500 }], 1500],
    ["is an end that comes", [{ starts_at: 500, ends_at: 1200 }], 1200],
    ["is the nearest of all", [{ starts_at: 3000 }, { ends_at: 1800 }, null], 1800],
    ["is none that is now or was", [{ starts_at: 1000, ends_at: 999 }], null],
  ];
  it.each(cases)("%s", (_case, list, boundary) => {
    expect(
      nextBoundary(
        list.map((visibility) => ({ visibility })),
        1000,
      ),
    ).toBe(boundary);
  });
});

it("what is joined has the visible blocks and the tokens in their places", () => {
  const parts = [
    "a",
    { kind: "block" as const, blockId: "1", visibility: { ends_at: 500 }, content: ["gone"] },
    {
      kind: "block" as const,
      blockId: "2",
      visibility: { ends_at: 2000 },
      content: ["b", { kind: "form_token" as const, blockId: "2" }],
    },
    { kind: "form_token" as const, blockId: "3" },
    "c",
  ];
  expect(joinParts(parts, at({}), (blockId) => `<${blockId}>`)).toBe("ab<2><3>c");
});

describe("A visibility", () => {
  const accepted: [object, object | null][] = [
    [{}, null],
    [{ starts_at: "2027-01-01T00:00:00+01:00" }, { starts_at: Date.UTC(2026, 11, 31, 23) }],
    [{ countries: { in: ["de", "FR"] } }, { countries: { in: ["DE", "FR"] } }],
    [{ starts_at: "", ends_at: "" }, null],
    [{ starts_at: null, ends_at: null, countries: null, devices: null }, null],
    [{ countries: null, devices: ["mobile"] }, { devices: ["mobile"] }],
  ];
  it.each(accepted)("%j is taken", (given, kept) => {
    expect(BlockVisibility.parse(given)).toEqual(kept);
  });

  const refused = [
    { starts_at: "2027-01-02T00:00:00Z", ends_at: "2027-01-01T00:00:00Z" },
    { starts_at: "2027-01-01T00:00:00Z", ends_at: "2027-01-01T00:00:00Z" },
    { starts_at: "tomorrow" },
    { countries: {} },
    { countries: { in: ["DE"], not_in: ["FR"] } },
    { countries: { in: [] } },
    { countries: { in: ["ZZ"] } },
    { countries: { in: ["UK"] } },
    { devices: [] },
    { devices: ["watch"] },
    { hours: [9, 17] },
  ];
  it.each(refused)("%j is refused", (given) => {
    expect(BlockVisibility.safeParse(given).success).toBe(false);
  });
});
