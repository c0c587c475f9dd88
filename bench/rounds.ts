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

/** What is measured while requests come: requests a second, milliseconds, CPU microseconds a request. */
export interface Figures {
  rate: number;
  p50: number;
  p99: number;
  cpu: number;
  generatorBusy: number;
}

/** The medians of all rounds. */
export interface Outcome extends Figures {
  label: string;
  /** Every request that was sent and answered, warm-ups included. */
  answered: number;
  rounds: Figures[];
  /**
   * CPU microseconds a request of the whole run, with warm-ups and what followed: clicks packed and put
   * into the ledger's inbox, and added up where there is a `drain`.
   */
  cpuDrained: number;
}

export interface Comparison extends Outcome {
  bases: Outcome[];
}

/** Runs the entries in turn, several rounds, so that a busy machine is busy for all of them. */
export async function compare(load: Load, entries: Entry[], plan: Plan): Promise<Outcome[]> {
  const runs = entries.map(newRun);
  for (let round = 1; round <= plan.rounds; round++) {
    for (const run of runs) {
      const before = processorTime(run.entry.contestant.pid);
      await addRound(load, run, plan.seconds, plan.warmUpSeconds);
      await untilIdle(run.entry.contestant.pid);
      run.processorTime += processorTime(run.entry.contestant.pid) - before;
    }
    process.stderr.write(`round ${round} of ${plan.rounds}\n`);
  }
  return runs.map(outcomeOf);
}

/**
 * So long each turn runs before it is measured. By then the clicks of the turn before are stored: they
 * are packed a second after it, and leave the queue two seconds later. A ledger adds up later, in a turn
 * or two of any: the median leaves those out, of ten rounds or more.
 */
const TURN_WARM_UP_SECONDS = 3.5;

/**
 * Some seconds of its bases, some of one, and so on without rests: all stay warm, and each ratio is of
 * the same few seconds of a machine whose speed changes from minute to minute. Not side by side: each
 * would put the others' code out of the caches. `drain` is called after the last turn with how many
 * answers `entry` gave, and returns when what they left behind is done.
 */
export async function takeTurns(
  load: Load,
  [entry, ...bases]: [Entry, ...Entry[]],
  plan: Plan,
  drain: (answered: number) => Promise<void> = async () => undefined,
): Promise<Comparison> {
  const own = newRun(entry);
  const ofBases = bases.map(newRun);
  const all = [...ofBases, own];
  const began = all.map(({ entry }) => processorTime(entry.contestant.pid));
  for (const run of all) await addRound(load, run, plan.seconds, plan.warmUpSeconds);
  // Only to warm up.
  for (const run of all) run.rounds = [];
  for (let round = 1; round <= plan.rounds; round++) {
    for (const run of all) await addRound(load, run, plan.seconds, TURN_WARM_UP_SECONDS);
  }
  await drain(own.answered);
  await Promise.all(all.map(({ entry }) => untilIdle(entry.contestant.pid)));
  for (const [at, run] of all.entries())
    run.processorTime = processorTime(run.entry.contestant.pid) - (began[at] ?? Number.NaN);
  process.stderr.write(`${entry.label}: ${plan.rounds} rounds\n`);
  return { ...outcomeOf(own), bases: ofBases.map(outcomeOf) };
}

interface Plan {
  rounds: number;
  seconds: number;
  warmUpSeconds: number;
}

interface Run {
  entry: Entry;
  rounds: Figures[];
  answered: number;
  /** Microseconds of all that was answered. */
  processorTime: number;
}

function newRun(entry: Entry): Run {
  return { entry, rounds: [], answered: 0, processorTime: 0 };
}

function outcomeOf({ entry, rounds, answered, processorTime }: Run): Outcome {
  const of = (figure: keyof Figures) => median(rounds.map((round) => round[figure]));
  return {
    label: entry.label,
    rate: of("rate"),
    p50: of("p50"),
    p99: of("p99"),
    cpu: of("cpu"),
    generatorBusy: of("generatorBusy"),
    answered,
    rounds,
    cpuDrained: processorTime / answered,
  };
}

async function addRound(
  load: Load,
  run: Run,
  seconds: number,
  warmUpSeconds: number,
): Promise<void> {
  const { contestant, traffic, expectedStatus } = run.entry;
  const { port, pid } = contestant;
  const time = { measuring: 0, measured: 0 };
  const report = await load.run(
    { port, traffic, expectedStatus, seconds, warmUpSeconds },
    {
      measuring: () => (time.measuring = processorTime(pid)),
      measured: () => (time.measured = processorTime(pid)),
    },
  );
  run.answered += report.answered;
  run.rounds.push({
    rate: report.measured / report.seconds,
    p50: report.p50,
    p99: report.p99,
    cpu: (time.measured - time.measuring) / report.measured,
    generatorBusy: report.busy,
  });
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

export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
