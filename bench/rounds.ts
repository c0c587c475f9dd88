import type { Contestant } from "./contestant.ts";
import type { Load } from "./load.ts";
import { processorTime } from "./processor-time.ts";
import { median } from "./statistics.ts";

const IDLE_SHARE = 0.02;
const IDLE_SECONDS = 0.5;
const DRAIN_SECONDS = 15;

/** A contestant under one kind of traffic. */
export interface Entry {
  label: string;
  contestant: Contestant;
  traffic: string;
  expectedStatus: number;
}

/** One round, or the medians of all: requests a second, milliseconds, CPU microseconds a request. */
export interface Figures {
  rate: number;
  p50: number;
  p99: number;
  /** While requests were coming. */
  cpu: number;
  /** With what went on after the last answer (clicks packed and stored), over all requests. By turns: over all of them. */
  cpuDrained: number;
  generatorBusy: number;
}

export interface Outcome extends Figures {
  label: string;
  /** Every request that was sent and answered, in all rounds. */
  answered: number;
  rounds: Figures[];
  base?: Outcome;
}

/** Runs the entries in turn, several rounds, so that a busy machine is busy for all of them. */
export async function compare(load: Load, entries: Entry[], plan: Plan): Promise<Outcome[]> {
  const runs = entries.map((entry) => ({ entry, rounds: [] as Round[] }));
  for (let round = 1; round <= plan.rounds; round++) {
    for (const { entry, rounds } of runs) rounds.push(await runRound(load, entry, plan));
    process.stderr.write(`round ${round} of ${plan.rounds}\n`);
  }
  return runs.map(({ entry, rounds }) => outcomeOf(entry, rounds));
}

/** Of a turn: what one did for the other is over, and it answers as it goes on answering. */
const TURN_WARM_UP_SECONDS = 1;

/**
 * Some seconds of one, some of the other, over and over, with no rest in between: both stay warm, and
 * each ratio is of the same few seconds of a machine whose speed changes from minute to minute. Not
 * side by side: each would put the other's code out of the caches.
 */
export async function takeTurns(
  load: Load,
  entry: Entry,
  base: Entry,
  plan: Plan,
): Promise<Outcome & { base: Outcome }> {
  const both = [entry, base].map((of) => ({
    of,
    began: processorTime(of.contestant.pid),
    turns: [] as Round[],
    answered: 0,
  }));
  for (const one of both) {
    one.answered += (await runTurn(load, one.of, plan.seconds, plan.warmUpSeconds)).answered;
  }
  for (let turn = 1; turn <= plan.rounds; turn++) {
    // Who goes first takes turns too.
    for (const one of turn % 2 ? both : both.toReversed()) {
      const round = await runTurn(load, one.of, plan.seconds, TURN_WARM_UP_SECONDS);
      one.turns.push(round);
      one.answered += round.answered;
    }
  }
  process.stderr.write(`${entry.label}: ${plan.rounds} turns\n`);
  const outcomes = [];
  for (const { of, began, turns, answered } of both) {
    await untilIdle(of.contestant.pid);
    const cpuDrained = (processorTime(of.contestant.pid) - began) / answered;
    outcomes.push({ ...outcomeOf(of, turns), answered, cpuDrained });
  }
  const [own, ofBase] = outcomes as [Outcome, Outcome];
  return { ...own, base: ofBase };
}

interface Plan {
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
}

interface Round {
  figures: Figures;
  answered: number;
}

function outcomeOf({ label }: Entry, rounds: Round[]): Outcome {
  const figures = rounds.map((round) => round.figures);
  const answered = rounds.reduce((sum, round) => sum + round.answered, 0);
  return { label, answered, rounds: figures, ...medians(figures) };
}

async function runRound(load: Load, entry: Entry, plan: Plan): Promise<Round> {
  const { pid } = entry.contestant;
  const began = processorTime(pid);
  const { figures, answered } = await runTurn(load, entry, plan.seconds, plan.warmUpSeconds);
  await untilIdle(pid);
  const cpuDrained = (processorTime(pid) - began) / answered;
  return { figures: { ...figures, cpuDrained }, answered };
}

async function runTurn(
  load: Load,
  { contestant, traffic, expectedStatus }: Entry,
  seconds: number,
  warmUpSeconds: number,
): Promise<Round> {
  const { port, pid } = contestant;
  const time = { measuring: 0, measured: 0 };
  const report = await load.run(
    { port, traffic, expectedStatus, seconds, warmUpSeconds },
    {
      measuring: () => (time.measuring = processorTime(pid)),
      measured: () => (time.measured = processorTime(pid)),
    },
  );
  const figures = {
    rate: report.measured / report.seconds,
    p50: report.p50,
    p99: report.p99,
    cpu: (time.measured - time.measuring) / report.measured,
    cpuDrained: Number.NaN,
    generatorBusy: report.busy,
  };
  return { figures, answered: report.answered };
}

/** A click waits up to five seconds to be packed and two more in the queue before any work is seen. */
const REST_SECONDS = 7.5;

/**
 * Waits until a contestant is done with what its answers left behind. `restSeconds`: for how long that
 * may wait before any of it is seen.
 */
export async function untilIdle(
  pid: number | undefined,
  restSeconds = REST_SECONDS,
): Promise<void> {
  await sleep(restSeconds);
  for (let waited = 0; waited < DRAIN_SECONDS; waited += IDLE_SECONDS) {
    const before = processorTime(pid);
    await sleep(IDLE_SECONDS);
    if (!(processorTime(pid) - before > IDLE_SHARE * IDLE_SECONDS * 1e6)) return;
  }
  process.stderr.write(
    `a contestant was not done with its work after ${restSeconds + DRAIN_SECONDS} s\n`,
  );
}

function medians(rounds: Figures[]): Figures {
  const of = (figure: keyof Figures) => median(rounds.map((round) => round[figure]));
  return {
    rate: of("rate"),
    p50: of("p50"),
    p99: of("p99"),
    cpu: of("cpu"),
    cpuDrained: of("cpuDrained"),
    generatorBusy: of("generatorBusy"),
  };
}

export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
