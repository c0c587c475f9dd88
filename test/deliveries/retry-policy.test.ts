import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { consequenceOf } from "../../src/deliveries/retry-policy.ts";
import { type Outcome, parseRetryAfter } from "../../src/platform/outbound/retry-policy.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21);
const FAILED: Outcome = { statusCode: 500, error: "bad_status", responseBody: null, durationMs: 1 };
const DELIVERED: Outcome = { ...FAILED, statusCode: 200, error: null };

function following(
  outcome: Partial<Outcome>,
  number = 1,
  failingSince: number | null = null,
  random = 0.5,
) {
  return consequenceOf({ ...FAILED, ...outcome }, { number, failingSince }, NOW, random);
}

describe("after an attempt", () => {
  it.each([
    [1, 5 * SECOND],
    [2, 300 * SECOND],
    [3, 1800 * SECOND],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 10 * HOUR],
  ])("the %ith, a retry follows in %i ms, a tenth sooner or later", (number, wait) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        const { status, nextAttemptAt } = following({}, number, null, random);
        expect(status).toBe("pending");
        expect(Math.abs((nextAttemptAt ?? 0) - NOW - wait)).toBeLessThanOrEqual(wait / 10 + 1);
      }),
    );
  });

  it.each<[string, Partial<Outcome>, number, number | null, object]>([
    [
      "success ends it",
      DELIVERED,
      1,
      null,
      { status: "delivered", nextAttemptAt: null, stop: null },
    ],
    ["the eighth is the last", {}, 8, null, { status: "failed", nextAttemptAt: null, stop: null }],
    ["410 pauses the endpoint", { statusCode: 410 }, 1, null, { status: "failed", stop: "gone" }],
    [
      "five days of failure pause it, and it is tried again if they do not",
      {},
      1,
      NOW - 5 * DAY,
      { status: "pending", nextAttemptAt: NOW + 5 * SECOND, stop: "failing" },
    ],
    [
      "five days of failure make no ninth attempt",
      {},
      8,
      NOW - 5 * DAY,
      { status: "failed", nextAttemptAt: null, stop: "failing" },
    ],
    ["less than five days do not", {}, 1, NOW - 5 * DAY + 1, { status: "pending", stop: null }],
    [
      "disable is obeyed",
      { instruction: "disable" },
      1,
      null,
      { status: "failed", stop: "disabled_by_receiver" },
    ],
    [
      "disable is obeyed with a success too",
      { ...DELIVERED, instruction: "disable" },
      1,
      null,
      { status: "delivered", stop: "disabled_by_receiver" },
    ],
    [
      "abort-message ends the delivery only",
      { instruction: "abort-message" },
      1,
      null,
      { status: "failed", stop: null },
    ],
    [
      "what is final is not tried again",
      { final: true },
      1,
      null,
      { status: "failed", stop: null },
    ],
    [
      "Retry-After is honoured",
      { retryAfter: HOUR },
      1,
      null,
      { status: "pending", nextAttemptAt: NOW + HOUR },
    ],
    [
      "Retry-After is honoured up to 12 hours",
      { retryAfter: DAY },
      1,
      null,
      { nextAttemptAt: NOW + 12 * HOUR },
    ],
    ["Retry-After shortens nothing", { retryAfter: 1 }, 4, null, { nextAttemptAt: NOW + 2 * HOUR }],
  ])("%s", (_fact, outcome, number, failingSince, expected) => {
    expect(following(outcome, number, failingSince)).toMatchObject(expected);
  });

  it.each([
    [null, undefined],
    ["120", 120 * SECOND],
    ["Sat, 21 Nov 2026 00:01:00 GMT", 60 * SECOND],
    ["Fri, 20 Nov 2026 00:01:00 GMT", 0],
    ["soon", undefined],
    ["10000000000", 10_000_000_000 * SECOND],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["-5", undefined],
  ])("Retry-After %s asks for %s ms", (header, expected) => {
    const parsed = parseRetryAfter(header, NOW);
    if (header === "-5") expect(parsed ?? 0).toBeLessThanOrEqual(0);
    else expect(parsed).toBe(expected);
  });
});
