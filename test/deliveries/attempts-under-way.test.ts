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
    test(new LaneJournal(storage.sql)),
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
      expect(underWay.toBring(Date.now()).held.sort()).toEqual([running.id, ended.id].sort());
      underWay.begin([]);
      expect(underWay.othersOf(all)).toEqual([other]);
    }));
});
