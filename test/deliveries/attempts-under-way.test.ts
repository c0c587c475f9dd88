import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { AttemptsUnderWay } from "../../src/deliveries/attempts-under-way.ts";
import type { DueDelivery, FinishedAttempt } from "../../src/deliveries/delivery-attempt.ts";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { newId } from "../../src/platform/ids.ts";

const due = (): DueDelivery => ({
  id: newId(),
  workspaceId: newId(),
  eventId: newId(),
  event: "publishing.post.published",
  channel: "all",
  test: false,
  manual: false,
  number: 1,
  occurredAt: Date.now(),
  data: "{}",
});

const delivered = (begun: ReturnType<AttemptsUnderWay["begin"]>[number]): FinishedAttempt => ({
  ...begun,
  outcome: { statusCode: 200, error: null, responseBody: "ok", durationMs: 5 },
  consequence: { status: "delivered", nextAttemptAt: null, stop: null },
  endedAt: Date.now(),
});

const inLane = (test: (journal: LaneJournal) => void) =>
  runInDurableObject(env.DELIVERY_LANE.getByName(newId()), (_lane, { storage }) =>
    test(new LaneJournal(storage)),
  );

describe("a lane that dies", () => {
  it("has what it began as interrupted, and what it wrote of an end as it ended", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [first, second, third] = underWay.begin([due(), due(), due()]);
      if (!first || !second || !third) throw new Error("Not all have begun.");
      underWay.end(first.id, delivered(first));
      underWay.end(second.id, delivered(second));
      underWay.begin([]);
      // It dies before the third's end is written.
      underWay.end(third.id, delivered(third));

      const next = new AttemptsUnderWay(journal);
      next.takeOver();
      const { finished } = next.toBring(Date.now());
      const errors = new Map(finished.map(({ id, outcome }) => [id, outcome.error]));
      expect(errors).toEqual(
        new Map([
          [first.id, null],
          [second.id, null],
          [third.id, "interrupted"],
        ]),
      );
    }));

  it("has what ended and what began in its place, which are written together", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [first] = underWay.begin([due()]);
      if (!first) throw new Error("It has not begun.");
      underWay.end(first.id, delivered(first));
      const [second] = underWay.begin([due()]);
      const next = new AttemptsUnderWay(journal);
      next.takeOver();
      const { finished } = next.toBring(Date.now());
      expect(finished.map(({ id, outcome }) => [id, outcome.error])).toEqual([
        [first.id, null],
        [second?.id, "interrupted"],
      ]);
    }));

  it("has nothing left of what the database has", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [first, second] = underWay.begin([due(), due()]);
      if (!first || !second) throw new Error("Not all have begun.");
      underWay.end(first.id, delivered(first));
      underWay.begin([]);
      const brought = underWay.toBring(Date.now());
      // It ends while that is brought.
      underWay.end(second.id, delivered(second));
      underWay.begin([]);
      underWay.brought(brought);
      expect(brought.finished.map(({ id }) => id)).toEqual([first.id]);
      expect(journal.left().finished.map(({ id }) => id)).toEqual([second.id]);
      expect(underWay.isAllBrought).toBe(false);
      underWay.brought(underWay.toBring(Date.now()));
      expect(journal.left()).toEqual({ begun: [], finished: [] });
      expect(underWay.isAllBrought).toBe(true);
    }));
});

describe("an attempt that ended", () => {
  it.each([0, 100, 300, 500, 690, 700, 1000, 14_000])(
    "after %i ms is brought, if it is not shown before, within 0.9 s of its beginning",
    (took) =>
      inLane((journal) => {
        // Each lane's times are its own.
        for (let lane = 0; lane < 50; lane++) {
          const underWay = new AttemptsUnderWay(journal);
          const [begun] = underWay.begin([due()]);
          if (!begun) throw new Error("It has not begun.");
          const shown = underWay.nextToBring() ?? Number.POSITIVE_INFINITY;
          const endedAt = begun.startedAt + took;
          underWay.end(begun.id, { ...delivered(begun), endedAt });
          underWay.begin([]);
          const seen = Math.min(shown, underWay.nextToBring() ?? Number.POSITIVE_INFINITY);
          expect(seen - begun.startedAt).toBeLessThanOrEqual(900);
          const isSlow = endedAt >= shown;
          expect((underWay.nextToBring() ?? 0) - endedAt).toBeLessThanOrEqual(isSlow ? 250 : 375);
          underWay.brought(underWay.toBring(endedAt));
        }
      }),
  );
});

describe("what is read of the database", () => {
  it("is not begun again while it runs, nor before its end is there", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [running, ended, other] = [due(), due(), due()];
      const [, begun] = underWay.begin([running, ended]);
      if (!begun) throw new Error("It has not begun.");
      underWay.end(ended.id, delivered(begun));
      const all = [running, ended, other];
      expect(underWay.othersOf(all)).toEqual([other]);
      const brought = underWay.toBring(Date.now());
      expect(brought.finished.map(({ id }) => id)).toEqual([ended.id]);
      expect(brought.held).toEqual([running.id]);
      expect(underWay.othersOf(all)).toEqual([other]);
    }));
});

describe("the journal of a lane", () => {
  it("has all of what is written at once, or none", () =>
    inLane((journal) => {
      const begun = Array.from({ length: 50 }, () => ({ ...due(), startedAt: Date.now() }));
      journal.write([], begun);
      expect(journal.left().begun).toHaveLength(50);
      journal.forget(begun);
      const spoilt = { ...due(), startedAt: 1n as unknown as number };
      expect(() => journal.write([], [...begun, spoilt])).toThrow();
      expect(journal.left()).toEqual({ begun: [], finished: [] });
    }));
});

describe("what is written ahead, for a quick receiver", () => {
  const journalled = ({ begun, finished }: ReturnType<LaneJournal["left"]>) => ({
    begun: begun.map(({ id }) => id).sort(),
    finished: finished.map(({ id }) => id).sort(),
  });

  it("is in the journal before it begins, and begins without another commit", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [first, second, third] = [due(), due(), due()];
      const [begun] = underWay.begin([first], [second, third]);
      if (!begun) throw new Error("It has not begun.");
      const all = [first.id, second.id, third.id].sort();
      expect(underWay.running).toBe(1);
      expect(journalled(journal.left())).toEqual({ begun: all, finished: [] });
      underWay.end(first.id, delivered(begun));
      underWay.begin([second]);
      // The first one's end waits for a commit.
      expect(journalled(journal.left())).toEqual({ begun: all, finished: [] });
      expect(underWay.running).toBe(1);
      underWay.begin([third]);
      underWay.begin([]);
      expect(journalled(journal.left())).toEqual({
        begun: [second.id, third.id].sort(),
        finished: [first.id],
      });
    }));

  it("is written anew when it is read anew, and not at all when it is not to begin", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [first, second, third] = [due(), due(), due()];
      underWay.begin([first], [second, third]);
      underWay.forgoAhead();
      expect(journalled(journal.left())).toEqual({ begun: [first.id], finished: [] });
      underWay.begin([{ ...second, number: 2 }]);
      const left = journal.left().begun.find(({ id }) => id === second.id);
      expect(left?.number).toBe(2);
      expect(journalled(journal.left()).begun).toEqual([first.id, second.id].sort());
    }));

  it("keeps no end from the database: it is in the journal before it is brought", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const [first, second] = [due(), due()];
      const [begun] = underWay.begin([first], [second]);
      if (!begun) throw new Error("It has not begun.");
      const shown = underWay.nextToBring() ?? 0;
      underWay.end(first.id, { ...delivered(begun), endedAt: begun.startedAt + 5 });
      expect(underWay.nextToBring()).toBeLessThan(shown);
      expect(underWay.hasFinished).toBe(true);
      const { finished } = underWay.toBring(Date.now());
      expect(finished.map(({ id }) => id)).toEqual([first.id]);
      expect(journalled(journal.left())).toEqual({ begun: [second.id], finished: [first.id] });
    }));

  it("keeps no retry's end out of the journal: the pause behind it would be lost, if the lane died", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const retry = { ...due(), number: 2 };
      const second = due();
      const [begun] = underWay.begin([retry], [second]);
      if (!begun) throw new Error("It has not begun.");
      underWay.end(retry.id, delivered(begun));
      underWay.begin([]);
      expect(journalled(journal.left())).toEqual({ begun: [second.id], finished: [retry.id] });
    }));

  it("is written with what ended, as many as there may be", () =>
    inLane((journal) => {
      const underWay = new AttemptsUnderWay(journal);
      const some = () => Array.from({ length: 25 }, due);
      for (const one of underWay.begin(some())) underWay.end(one.id, delivered(one));
      underWay.begin(some());
      const { begun, finished } = journal.left();
      expect([begun.length, finished.length]).toEqual([25, 25]);
    }));
});
