import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Budget,
  FREE_FAILURES,
  giveBack,
  KEPT_FOR_OTHERS,
  LINK_TRIES,
  REFILL_MILLISECONDS,
  refill,
  take,
  waitForTry,
  waitInWindow,
} from "../../src/visitor/password-budget.ts";

const FULL: Budget = { left: LINK_TRIES, at: 0 };
const HOUR = 60 * 60_000;

/** A link that is tried, one after the other; a wrong guess counts against whoever made it. */
function link() {
  let budget = FULL;
  const failures = new Map<number, number[]>();
  return {
    try(who: number, now: number, isRight = false): number {
      budget = refill(budget, now);
      const recent = (failures.get(who) ?? []).filter((at) => at > now - HOUR);
      const wait = waitForTry(budget, recent.length, now);
      if (wait > 0) return wait;
      budget = take(budget);
      if (isRight) budget = giveBack(budget);
      else failures.set(who, [...recent, now]);
      return 0;
    },
  };
}

describe("the budget of a link's password", () => {
  it("never judges more wrong guesses than 300 and one every 3 s, whoever makes them", () => {
    const guess = fc.record({
      who: fc.nat({ max: 40 }),
      after: fc.oneof(fc.constant(0), fc.nat({ max: 2000 })),
      isRight: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(guess, { minLength: 300, maxLength: 1500 }), (guesses) => {
        const one = link();
        let [now, judged] = [0, 0];
        for (const { who, after, isRight } of guesses) {
          now += after;
          if (one.try(who, now, isRight) === 0 && !isRight) judged++;
          expect(judged).toBeLessThanOrEqual(LINK_TRIES + Math.floor(now / REFILL_MILLISECONDS));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("after the wait that is told, the try passes, if nobody else came", () => {
    const budgets = fc.record({ left: fc.nat({ max: LINK_TRIES }), at: fc.nat({ max: 10_000 }) });
    fc.assert(
      fc.property(budgets, fc.nat({ max: 10 }), fc.nat({ max: 9000 }), (held, failures, later) => {
        const now = held.at + later;
        const wait = waitForTry(refill(held, now), failures, now);
        const then = now + wait;
        expect(waitForTry(refill(held, then), failures, then)).toBe(0);
      }),
    );
  });

  it("is open to whoever has not failed lately, however hard few others guess", () => {
    // As many as spend what is kept, each as often as it is let, for two hours.
    const one = link();
    const guessers = KEPT_FOR_OTHERS / FREE_FAILURES - 1;
    for (let now = 0; now < 2 * HOUR; now += 500) {
      for (let who = 0; who < guessers; who++) one.try(who, now);
      if (now % 60_000 === 0) expect(one.try(1000 + now, now, true)).toBe(0);
    }
  });

  it.each([3, 10, 30, 50])(
    "is open to people who failed %i times in the hour, while three addresses guess all they may",
    (failures) => {
      const one = link();
      // An office behind one address: some mistype, each of the others knows the password.
      const office = (now: number) => one.try(-1, now, now % Math.ceil(HOUR / failures) >= 6000);
      for (let now = 0; now < 3 * HOUR; now += 6000) {
        for (let who = 0; who < 3; who++) one.try(who, now);
        if (now % 60_000 === 0) expect([now, office(now)]).toEqual([now, 0]);
      }
    },
  );

  it("is shut to newcomers for 3 s at most once the flood is over, however many made it", () => {
    const one = link();
    const now = 100_000;
    for (let who = 0; who < 10_000; who++) one.try(who, who * 10);
    const wait = one.try(-1, now);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(REFILL_MILLISECONDS);
    expect(one.try(-1, now + wait)).toBe(0);
  });

  it("is not used up by a crowd that knows the password", () => {
    const one = link();
    for (let who = 0; who < 10_000; who++) expect(one.try(who, who, true)).toBe(0);
  });

  it("stays as it is when the clock goes back", () => {
    expect(refill({ left: 5, at: 10_000 }, 4000)).toEqual({ left: 5, at: 10_000 });
    expect(giveBack(FULL)).toEqual(FULL);
  });
});

describe("a window", () => {
  it.each([
    [[], 3, 10_000, 0],
    [[1, 2], 3, 10_000, 0],
    [[1000, 2000, 3000], 3, 10_000, 51_000],
    [[1000, 2000, 3000, 4000], 3, 10_000, 52_000],
  ])("with tries at %j of %i a minute is free at %i in %i ms", (times, limit, now, wait) => {
    expect(waitInWindow(times, limit, 60_000, now)).toBe(wait);
  });
});
