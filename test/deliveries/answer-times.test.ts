import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AnswerTimes,
  addAnswerTimes,
  bucketOf,
  percentileOf,
} from "../../src/deliveries/answer-times.ts";

const LONGEST = 15_000;
const times = fc.array(fc.integer({ min: 0, max: LONGEST }), { minLength: 1, maxLength: 200 });

function counted(all: number[]): AnswerTimes {
  return addAnswerTimes(all.map((time) => ({ [bucketOf(time)]: 1 })));
}

/** By nearest rank: the shortest of the times that so many of a hundred do not exceed. */
function exactly(all: number[], share: number): number {
  const sorted = all.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

describe("an answer time", () => {
  it("is told to within a tenth, each millisecond of an attempt", () => {
    let worst = 0;
    for (let time = 0; time <= LONGEST; time++) {
      const told = percentileOf(counted([time]), 0.5) ?? Number.NaN;
      worst = Math.max(worst, Math.abs(told - time) / Math.max(time, 1));
    }
    expect(worst).toBeLessThanOrEqual(0.1);
  });

  it("falls into one of few buckets, and the longer into none before the shorter's", () => {
    const buckets = Array.from({ length: LONGEST + 1 }, (_, time) => bucketOf(time));
    expect(buckets).toEqual(buckets.toSorted((one, other) => one - other));
    expect(new Set(buckets).size).toBeLessThanOrEqual(55);
  });

  it("that is longer than an attempt may take is told as the longest", () => {
    const told = percentileOf(counted([10 * LONGEST]), 0.95);
    expect(told).toBe(percentileOf(counted([LONGEST]), 0.95));
  });
});

describe("a percentile", () => {
  it("is that of the times themselves, to within a tenth", () => {
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95), (all, share) => {
        const exact = exactly(all, share);
        const told = percentileOf(counted(all), share) ?? Number.NaN;
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * 0.1);
      }),
    );
  });

  it("is the same however the times were counted together", () => {
    fc.assert(
      fc.property(times, times, (one, other) => {
        const apart = addAnswerTimes([counted(one), counted(other)]);
        expect(apart).toEqual(counted([...one, ...other]));
      }),
    );
  });

  it("of no times is none", () => {
    expect(percentileOf({}, 0.95)).toBeNull();
  });
});
