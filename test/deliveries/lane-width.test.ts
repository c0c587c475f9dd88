import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIRST_WIDTH, nextWidth, writtenAhead } from "../../src/deliveries/lane-width.ts";

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

describe("how many more attempts are written into the journal than begin", () => {
  it.each([
    ["as many as a quick receiver takes in a tenth of a second", 5, 30, 15],
    ["twenty at the most", 5, 1, 20],
    ["twenty for one that answers within the clock's millisecond", 5, 0, 20],
    ["as many as begin, for one that takes a tenth of a second", 5, 100, 5],
    ["none for one that takes longer", 5, 101, 0],
    ["none for one that hangs", 1, HANGING, 0],
  ])("%s", (_, width, milliseconds, ahead) => {
    expect(writtenAhead(width, milliseconds)).toBe(ahead);
  });
});
