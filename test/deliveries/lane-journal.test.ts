import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BegunAttempt, FinishedAttempt } from "../../src/deliveries/delivery-attempt.ts";
import { LaneJournal } from "../../src/deliveries/lane-journal.repository.ts";
import { newId } from "../../src/platform/ids.ts";

const begin = (id: string, number = 1): BegunAttempt => ({
  id,
  workspaceId: newId(),
  eventId: newId(),
  event: "publishing.post.published",
  channel: "all",
  test: false,
  manual: false,
  number,
  startedAt: Date.now(),
});

const end = (begun: BegunAttempt, responseBody = "ok"): FinishedAttempt => ({
  ...begun,
  outcome: { statusCode: 200, error: null, responseBody, durationMs: 5 },
  consequence: { status: "delivered", nextAttemptAt: null, stop: null },
  endedAt: Date.now(),
});

const inObject = (test: (storage: DurableObjectStorage) => void | Promise<void>) =>
  runInDurableObject(env.DELIVERY_LANE.getByName(newId()), (_lane, { storage }) => test(storage));

const rowsOf = ({ sql }: DurableObjectStorage) =>
  sql.exec<{ n: number }>("SELECT count(*) AS n FROM entries").one().n;

const told = ({ begun, finished }: ReturnType<LaneJournal["left"]>) => ({
  begun: begun.map(({ id, number }) => `${id} ${number}`).sort(),
  finished: finished.map(({ id, number }) => `${id} ${number}`).sort(),
});

const DELIVERIES = ["a", "b", "c", "d", "e", "f"];
type Step = { end: string[]; begin: string[]; forget: string[]; dies: boolean };
const Steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    end: fc.subarray(DELIVERIES),
    begin: fc.subarray(DELIVERIES),
    forget: fc.subarray(DELIVERIES),
    dies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 90 },
);

describe("a lane's journal", () => {
  it("says of each delivery what was written last, whenever the lane dies, in few rows", async () => {
    await fc.assert(
      fc.asyncProperty(Steps, (steps) =>
        inObject((storage) => {
          let journal = new LaneJournal(storage);
          const numbers = new Map<string, number>();
          const known = new Map<string, BegunAttempt | FinishedAttempt>();
          for (const step of steps) {
            const running = step.end.flatMap((id) => {
              const one = known.get(id);
              return one && !("endedAt" in one) ? [one] : [];
            });
            const ended = running.map((one) => end(one));
            const begun = step.begin
              .filter((id) => !running.some((one) => one.id === id))
              .map((id) => begin(id, (numbers.get(id) ?? 0) + 1));
            journal.write(ended, begun);
            for (const one of [...ended, ...begun]) {
              known.set(one.id, one);
              numbers.set(one.id, one.number);
            }
            journal.forget(step.forget.map((id) => ({ id })));
            for (const id of step.forget) known.delete(id);
            if (step.dies) journal = new LaneJournal(storage);
            expect(rowsOf(storage)).toBeLessThanOrEqual(known.size === 0 ? 0 : 52);
          }
          const all = [...known.values()];
          const expected = {
            begun: all.filter((one) => !("endedAt" in one)),
            finished: all.filter((one) => "endedAt" in one) as FinishedAttempt[],
          };
          expect(told(new LaneJournal(storage).left())).toEqual(told(expected));
          expect(told(journal.left())).toEqual(told(expected));
        }),
      ),
      { numRuns: 60 },
    );
  });

  it("takes a row for all that is written at once, however long one attempt hangs", () =>
    inObject((storage) => {
      const journal = new LaneJournal(storage);
      const hanging = begin("hangs");
      journal.write([], [hanging]);
      let written = 0;
      for (let times = 0; times < 500; times++) {
        const some = Array.from({ length: 20 }, () => begin(newId()));
        const before = rowsOf(storage);
        journal.write([], some);
        expect(rowsOf(storage) - before).toBe(1);
        const ended = some.map((one) => end(one));
        journal.write(ended, []);
        journal.forget(ended);
        written = Math.max(written, rowsOf(storage));
      }
      expect(written).toBeLessThanOrEqual(51);
      expect(told(journal.left())).toEqual({ begun: ["hangs 1"], finished: [] });
      journal.forget([hanging]);
      expect(rowsOf(storage)).toBe(0);
    }));

  it("has room for the longest answers that there are, of all that may end at once", () =>
    inObject((storage) => {
      const journal = new LaneJournal(storage);
      const all = Array.from({ length: 105 }, () => begin(newId()));
      journal.write([], all);
      // In JSON each takes six characters.
      journal.write(
        all.map((one) => end(one, "\u0001".repeat(4096))),
        [],
      );
      const longest = storage.sql
        .exec<{ n: number }>("SELECT max(length(CAST(entry AS BLOB))) AS n FROM entries")
        .one().n;
      expect(longest).toBeLessThan(1_000_000);
      const { begun, finished } = new LaneJournal(storage).left();
      expect([begun.length, finished.length]).toEqual([0, 105]);
      expect(finished[0]?.outcome.responseBody).toHaveLength(4096);
    }));

  it("takes what begins for the latest of a delivery that is also over, and forgets each once", () =>
    inObject((storage) => {
      const journal = new LaneJournal(storage);
      const [a, b] = [begin("a"), begin("b")];
      journal.write([end(a)], [begin("a", 2), b]);
      expect(told(journal.left())).toEqual({ begun: ["a 2", "b 1"], finished: [] });
      journal.forget([a, a]);
      expect(told(journal.left())).toEqual({ begun: ["b 1"], finished: [] });
    }));

  it("takes over what a lane of before 2026-11-28 had under way", () =>
    inObject((storage) => {
      void new LaneJournal(storage);
      const [running, over] = [begin("running"), begin("over")];
      const insert = "INSERT INTO attempts (delivery_id, attempt, is_over) VALUES (?, ?, ?)";
      storage.sql.exec(insert, running.id, JSON.stringify(running), 0);
      storage.sql.exec(insert, over.id, JSON.stringify(end(over)), 1);
      const journal = new LaneJournal(storage);
      const expected = { begun: ["running 1"], finished: ["over 1"] };
      expect(told(journal.left())).toEqual(expected);
      // They are in one place, from where they go for good.
      journal.forget([over]);
      expect(told(new LaneJournal(storage).left())).toEqual({ ...expected, finished: [] });
      journal.forget([running]);
      expect(told(new LaneJournal(storage).left())).toEqual({ begun: [], finished: [] });
    }));
});
