import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  A_SECOND,
  BURST,
  beginTurn,
  endTurn,
  type Turn,
} from "../../src/deliveries/fan-out-pace.ts";
import { takeFanOutTurn } from "../../src/deliveries/fan-out-turn.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import type { Context } from "../../src/platform/context/context.ts";
import { workIn } from "../support/work.ts";

const MOST_KNOWN = 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

/** A workspace that has made so many deliveries in one turn; its name, and how long it rests. */
function havingMade(deliveries: number): { id: string; restSeconds: number } {
  const id = crypto.randomUUID();
  const turn = beginTurn(id, "event") as Turn;
  turn.made = deliveries;
  return { id, restSeconds: endTurn(id, turn) };
}

function others(count: number): void {
  for (let other = 0; other < count; other++) havingMade(0);
}

describe("a workspace's pace", () => {
  it("is not forgotten for a thousand others: who rests goes on resting", () => {
    const { id, restSeconds } = havingMade(BURST + 2 * A_SECOND);
    expect(restSeconds).toBe(2);
    others(MOST_KNOWN + 1);
    expect(beginTurn(id, "event")).toBeUndefined();
    vi.setSystemTime(Date.now() + restSeconds * 1000);
    expect(beginTurn(id, "event")).toBeDefined();
  });

  it("nor for others as busy as itself", () => {
    const { id } = havingMade(BURST + 2 * A_SECOND);
    for (let other = 0; other <= MOST_KNOWN; other++) havingMade(BURST);
    expect(beginTurn(id, "event")).toBeUndefined();
    vi.setSystemTime(Date.now() + 60_000);
    others(1);
  });

  it("is known while its turn is under way: no second one begins, and its end counts", () => {
    const id = crypto.randomUUID();
    const turn = beginTurn(id, "first") as Turn;
    others(MOST_KNOWN + 1);
    expect([beginTurn(id, "second"), turn.asked]).toEqual([undefined, "second"]);
    turn.made = BURST + A_SECOND;
    expect(endTurn(id, turn)).toBe(1);
  });
});

describe("a rest", () => {
  it("is none where the next message would begin a turn all the same", () => {
    const { id, restSeconds } = havingMade(BURST + 1);
    expect(restSeconds).toBe(0);
    expect(beginTurn(id, "event")).toBeDefined();
  });
});

describe("a message that comes as a turn ends", () => {
  /** A turn with nothing to do, and a message so many steps of other work after its look's answer. */
  async function takeTurnAndMessage(steps: number, allowed: number) {
    const sent: string[] = [];
    const EVENTS = { send: async ({ event }: { event: string }) => void sent.push(event) };
    const work = workIn(crypto.randomUUID());
    let message: Promise<boolean> = Promise.resolve(false);
    const come = async () => {
      for (let step = 0; step < steps; step++) await undefined;
      const turn = beginTurn(work.workspaceId, "late");
      if (turn) endTurn(work.workspaceId, turn);
      return turn !== undefined;
    };
    const answers = [{ results: [{ allowed }] }, { results: [] }];
    const prepare = () => ({ bind: () => ({}) });
    const batch = () =>
      scheduler.wait(1).then(() => {
        message = come();
        return answers;
      });
    const db = { $client: { prepare, batch } } as unknown as Context["db"];
    const env = { ...work.env, EVENTS } as unknown as Context["env"];
    await takeFanOutTurn({ ...work, env, db }, TARGETS, "named");
    return { began: await message, sent };
  }

  it("begins a turn of its own, or is told on: at no step of others' work is it passed over", async () => {
    const ways = new Set<string>();
    for (let steps = 0; steps < 40; steps++) {
      const { began, sent } = await takeTurnAndMessage(steps, 1000);
      ways.add(began ? "begins" : "told");
      expect({ steps, sent }).toEqual({ steps, sent: began ? [] : ["late"] });
    }
    expect(ways.size).toBe(2);
  });
});
