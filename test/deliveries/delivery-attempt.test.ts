import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutOff, type FinishedAttempt, toBring } from "../../src/deliveries/delivery-attempt.ts";

const WHAT = { workspaceId: "w", eventId: "e", event: "x", channel: "all", test: false };
const BEGUN = { ...WHAT, id: "d", number: 1, manual: false, startedAt: 0 };
const STATEMENT_BYTES = 2_000_000;

function answeredWith(responseBody: string): FinishedAttempt {
  const outcome = { statusCode: 500, error: "bad_status", responseBody, durationMs: 1 };
  return { ...cutOff(BEGUN, 1), outcome };
}

describe("what a lane brings to the database at once", () => {
  it("fits into a statement, whatever was answered, and is something in any case", () => {
    const body = fc
      .tuple(fc.constantFrom("\u0001", '"', "a", "é", "€"), fc.integer({ max: 4096, min: 0 }))
      .map(([character, length]) => character.repeat(length));
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 300 }), (bodies) => {
        const finished = bodies.map(answeredWith);
        const brought = toBring(finished);
        const bytes = new TextEncoder().encode(JSON.stringify(brought)).length;
        expect(bytes).toBeLessThan(STATEMENT_BYTES);
        expect(brought).toEqual(finished.slice(0, Math.max(brought.length, 1)));
      }),
    );
    expect(toBring(Array.from({ length: 300 }, () => answeredWith("ok")))).toHaveLength(100);
    expect(
      toBring(Array.from({ length: 100 }, () => answeredWith("\u0001".repeat(4096)))),
    ).not.toHaveLength(100);
  });
});

describe("an attempt that was cut off", () => {
  it.each([1, 2, 7])("is made again at once, as the %ith of eight", (number) => {
    const { outcome, consequence } = cutOff({ ...BEGUN, number, startedAt: 5 }, 9);
    expect(outcome).toMatchObject({ error: "interrupted", durationMs: 4 });
    expect(consequence).toEqual({ status: "pending", nextAttemptAt: 9, stop: null });
  });

  it("is the last when it is the eighth", () => {
    const { consequence } = cutOff({ ...BEGUN, number: 8 }, 9);
    expect(consequence).toEqual({ status: "failed", nextAttemptAt: null, stop: null });
  });
});
