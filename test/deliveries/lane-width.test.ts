import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIRST_WIDTH, nextWidth } from "../../src/deliveries/lane-width.ts";

const QUICK = 10;
const HANGING = 15_000;
const widthAfter = (durations: number[]) => durations.reduce(nextWidth, FIRST_WIDTH);

describe("how many attempts a lane makes at a time", () => {
  it.each([
    ["begins with two", [], 2],
    ["grows to five for a receiver that is quick", [QUICK, QUICK, QUICK, QUICK, QUICK], 5],
    ["falls to one for a receiver that hangs", [HANGING, HANGING, HANGING], 1],
    ["stays for one that takes a few seconds", [QUICK, 3000, 3000], 3],
    ["grows again when a receiver is back", [HANGING, HANGING, QUICK, QUICK], 3],
  ])("%s", (_, durations, width) => {
    expect(widthAfter(durations)).toBe(width);
  });

  it("is never none, and never more than an invocation has connections for", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000)), (durations) => {
        expect(widthAfter(durations)).toBeGreaterThanOrEqual(1);
        expect(widthAfter(durations)).toBeLessThanOrEqual(5);
      }),
    );
  });
});
