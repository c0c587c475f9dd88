/** What was measured, as rows of the table; what is aimed at stands here. */

import type { WorkDone } from "../database-work.ts";
import { at, median } from "../statistics.ts";
import { type Burst, type BurstWork, total } from "./burst.ts";
import type { BesideTheDead } from "./dead.ts";
import type { Table } from "./figures.ts";
import type { Floor } from "./floor.ts";
import {
  type Ratio,
  ratioOfChance,
  ratioOfHanging,
  type SteadyRound,
  slicesOf,
} from "./hanging.ts";
import { EVENTS_A_SECOND } from "./steady.ts";

const TARGET = {
  p50: 120,
  p99: 600,
  hangingRatio: 1.2,
  rate: 1500,
  rowsWritten: 5,
  roundTrips: 0.1,
  ofFloor: 0.4,
};

export interface BurstRound {
  three: Burst;
  one: Burst;
  floorOfThree: Floor;
  floorOfOne: Floor;
  /** Of a burst to three, of a Signpost that counts. */
  counted: BurstWork;
}

const told = (lags: number[]) => [median(lags), at(lags, 0.99)] as const;

/** Whether it can be said on which side of what is aimed at the ratio is. */
export function isRatioTold(rounds: SteadyRound[]): boolean {
  const { low, high } = ratioOfHanging(rounds);
  return high <= TARGET.hangingRatio || low > TARGET.hangingRatio;
}

const between = ({ low, high }: Ratio) => `${low.toFixed(2)} to ${high.toFixed(2)}`;

export function addSteady(table: Table, rounds: SteadyRound[]): void {
  const [healthy, beside] = [slicesOf(rounds, "healthy").flat(), slicesOf(rounds, "beside").flat()];
  const name = `${EVENTS_A_SECOND} events a second to 10 receivers`;
  table.add(`${name}: lag p50, ms`, median(healthy), { most: TARGET.p50 });
  table.add(`${name}: lag p99, ms`, at(healthy, 0.99), { most: TARGET.p99 });
  table.add("one of them hanging: lag p50 of the others, ms", median(beside));
  table.add("one of them hanging: lag p99 of the others, ms", at(beside, 0.99));
  const ratio = ratioOfHanging(rounds);
  const how = `${rounds.length} rounds of ${beside.length} lags in all`;
  table.add(`… p99 ÷ with none hanging (${how})`, ratio.measured, { digits: 2 });
  const end = isRatioTold(rounds) ? "" : "; UNDECIDED";
  const most = TARGET.hangingRatio;
  table.add(`… upper end of its 95 % interval (${between(ratio)}${end})`, ratio.high, {
    digits: 2,
    most,
  });
  const chance = ratioOfChance(rounds);
  table.add(
    `… the same of two halves with none hanging (95 %: ${between(chance)})`,
    chance.measured,
    {
      digits: 2,
    },
  );
}

export function addBursts(table: Table, events: number, rounds: BurstRound[]): void {
  const three = rounds.map((round) => round.three);
  const of = (value: (burst: Burst) => number) => median(three.map(value));
  const each = (value: (work: WorkDone) => number) =>
    median(rounds.map(({ counted: { work, deliveries } }) => value(work) / deliveries));
  const name = `${events} events × 3`;
  const how = `in ${three[0]?.published} (${of((one) => one.publishSeconds).toFixed(1)} s)`;
  table.add(
    `${name}, published ${how}: deliveries a second`,
    of(({ rate }) => rate),
    {
      least: TARGET.rate,
    },
  );
  table.add(
    "… from the last publish's answer on",
    of(({ tailRate }) => tailRate),
  );
  table.add("… ÷ the floor", median(rounds.map((one) => one.three.rate / one.floorOfThree.rate)), {
    digits: 2,
    least: TARGET.ofFloor,
  });
  table.add("the floor: deliveries a second", median(rounds.map((one) => one.floorOfThree.rate)));
  const floorCpu = median(rounds.map((one) => one.floorOfThree.cpu));
  table.add(
    "CPU µs a delivery, and the floor's",
    `${of(({ cpu }) => cpu).toFixed(0)}, ${floorCpu.toFixed(0)}`,
  );
  const all = (work: "statements" | "roundTrips" | "rowsWritten") =>
    each((done) => total(done)[work]);
  table.add("D1 a delivery: rows written", all("rowsWritten"), {
    digits: 2,
    most: TARGET.rowsWritten,
  });
  table.add("D1 a delivery: round trips", all("roundTrips"), {
    digits: 3,
    most: TARGET.roundTrips,
  });
  table.add("D1 a delivery: statements", all("statements"), { digits: 2 });
  for (const [who, whose] of [
    ["publishing", "requests"],
    ["fan-out", "others"],
    ["lanes", "lanes"],
  ] as const) {
    const figures = (["rowsWritten", "roundTrips", "statements"] as const).map((what) =>
      each((done) => done[whose][what]).toFixed(3),
    );
    table.add(`… of ${who}: rows, round trips, statements`, figures.join(", "));
  }
  const rows = each(({ laneStorage }) => laneStorage.rowsWritten);
  const keys = each(({ laneStorage }) => laneStorage.keysWritten);
  table.add(
    "the lanes' own SQLite, a delivery: rows, keys and alarms",
    `${rows.toFixed(2)}, ${keys.toFixed(2)}`,
  );
  table.add(
    "deliveries sent twice in two bursts",
    median(rounds.map(({ three, counted }) => three.repeated + counted.repeated)),
  );
  const ones = median(rounds.map(({ one }) => one.rate));
  table.add(`${events} events × 1: deliveries a second`, ones);
  table.add(
    "… ÷ the floor",
    median(rounds.map((round) => round.one.rate / round.floorOfOne.rate)),
    {
      digits: 2,
    },
  );
  table.add("the floor: deliveries a second", median(rounds.map((round) => round.floorOfOne.rate)));
}

export function addDead(
  table: Table,
  pending: number,
  alone: number[],
  beside: BesideTheDead,
): void {
  const name = `${pending} pending to one that ${beside.death}`;
  const [[p50, p99], [quiet50, quiet99]] = [told(beside.lags), told(alone)];
  table.add(
    `${name}: neighbour's lag p50, p99, ms (before ${quiet50.toFixed(0)}, ${quiet99.toFixed(0)})`,
    `${p50.toFixed(0)}, ${p99.toFixed(0)}`,
  );
  table.add("… ÷ before", `${(p50 / quiet50).toFixed(2)}, ${(p99 / quiet99).toFixed(2)}`);
  const { before, after } = beside;
  for (const [what, of] of [
    ["heap of the isolate", "heapMegabytes"],
    ["workerd with its database", "residentMegabytes"],
  ] as const) {
    table.add(`… ${what}, MB`, `${before[of].toFixed(0)} → ${after[of].toFixed(0)}`);
  }
}
