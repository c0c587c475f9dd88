import type { Contestant } from "./contestant.ts";
import type { Load } from "./load.ts";
import { processorTime } from "./processor-time.ts";

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
  /** With what went on after the last answer (clicks counted), over all requests. */
  cpuDrained: number;
  generatorBusy: number;
}

export interface Outcome extends Figures {
  label: string;
  /** Every request that was sent and answered, in all rounds. */
  answered: number;
}

/** Runs the entries in turn, several rounds, so that a busy machine is busy for all of them. */
export async function compare(
  load: Load,
  entries: Entry[],
  plan: { rounds: number; seconds: number; warmUpSeconds: number },
): Promise<Outcome[]> {
  const results = entries.map(({ label }) => ({ label, answered: 0, rounds: [] as Figures[] }));
  for (let round = 1; round <= plan.rounds; round++) {
    for (const [at, entry] of entries.entries()) {
      const { figures, answered } = await runRound(load, entry, plan);
      results[at]?.rounds.push(figures);
      if (results[at]) results[at].answered += answered;
    }
    process.stderr.write(`round ${round} of ${plan.rounds}\n`);
  }
  return results.map(({ label, answered, rounds }) => ({ label, answered, ...medians(rounds) }));
}

async function runRound(
  load: Load,
  { contestant, traffic, expectedStatus }: Entry,
  { seconds, warmUpSeconds }: { seconds: number; warmUpSeconds: number },
): Promise<{ figures: Figures; answered: number }> {
  const { port, pid } = contestant;
  const time = { start: processorTime(pid), measuring: 0, measured: 0 };
  const report = await load.run(
    { port, traffic, expectedStatus, seconds, warmUpSeconds },
    {
      measuring: () => (time.measuring = processorTime(pid)),
      measured: () => (time.measured = processorTime(pid)),
    },
  );
  await untilIdle(pid);
  const figures = {
    rate: report.measured / report.seconds,
    p50: report.p50,
    p99: report.p99,
    cpu: (time.measured - time.measuring) / report.measured,
    cpuDrained: (processorTime(pid) - time.start) / report.answered,
    generatorBusy: report.busy,
  };
  return { figures, answered: report.answered };
}

/** Waits until a contestant is done with what its answers left behind. */
async function untilIdle(pid: number | undefined): Promise<void> {
  // A click waits up to five seconds to be packed and two more in the queue before any work is seen.
  await sleep(7.5);
  for (let waited = 0; waited < DRAIN_SECONDS; waited += IDLE_SECONDS) {
    const before = processorTime(pid);
    await sleep(IDLE_SECONDS);
    if (!(processorTime(pid) - before > IDLE_SHARE * IDLE_SECONDS * 1e6)) return;
  }
}

function medians(rounds: Figures[]): Figures {
  const median = (of: keyof Figures) => {
    const sorted = rounds.map((round) => round[of]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return {
    rate: median("rate"),
    p50: median("p50"),
    p99: median("p99"),
    cpu: median("cpu"),
    cpuDrained: median("cpuDrained"),
    generatorBusy: median("generatorBusy"),
  };
}

export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
