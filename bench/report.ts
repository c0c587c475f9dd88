import { isLinux } from "./processor-time.ts";
import type { Comparison, Figures, Outcome } from "./rounds.ts";
import { at, median } from "./statistics.ts";

const COLUMNS = ["", "req/s", "p50 ms", "p99 ms", "CPU µs", "drained µs", "generator"];

/** Each with its own bases below it, if it has any: others were measured in other minutes. */
export function printTable(outcomes: (Outcome | Comparison)[]): void {
  const all = outcomes.flatMap((outcome) =>
    "bases" in outcome ? [outcome, ...outcome.bases] : [outcome],
  );
  const rows = all.map((outcome) => [
    outcome.label,
    outcome.rate.toFixed(0),
    outcome.p50.toFixed(2),
    outcome.p99.toFixed(2),
    outcome.cpu.toFixed(0),
    outcome.cpuDrained.toFixed(0),
    `${(outcome.generatorBusy * 100).toFixed(0)} %`,
  ]);
  const widths = COLUMNS.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  for (const row of [COLUMNS, ...rows]) {
    const cells = row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    console.log(cells.join("  "));
  }
}

export interface Target {
  rate: number;
  cpu?: number;
  drained?: number;
  p99?: number;
}

/**
 * Prints one contestant as ratios to another; whether it is within the target, if it has one. It judges
 * the medians of the rounds' ratios, and `drained`, one ratio of the whole run, without an interval.
 */
export function printRatio(subject: Outcome, base: Outcome, target?: Target): boolean {
  const ratio = (figure: keyof Figures) =>
    subject.rounds.map((own, round) => own[figure] / (base.rounds[round]?.[figure] ?? Number.NaN));
  const ratios = { rate: ratio("rate"), cpu: ratio("cpu"), p99: ratio("p99") };
  const [rate, cpu, p99] = Object.values(ratios).map(median) as [number, number, number];
  const drained = subject.cpuDrained / base.cpuDrained;
  const isMet =
    !target ||
    (rate >= target.rate &&
      isWithin(cpu, target.cpu) &&
      isWithin(drained, target.drained) &&
      p99 <= (target.p99 ?? Infinity));
  const verdict = target ? (isMet ? " (target met)" : ` (TARGET MISSED: ${told(target)})`) : "";
  console.log(
    `${subject.label}: ${rate.toFixed(2)} (95 %: ${interval(ratios.rate)}) of ${base.label}'s rate, ` +
      `${cpu.toFixed(2)} (${interval(ratios.cpu)}) of its CPU, ` +
      `${drained.toFixed(2)} drained, ` +
      `${p99.toFixed(2)} (${interval(ratios.p99)}) of its p99${verdict}`,
  );
  return isMet;
}

/** Only Linux says what a process took: elsewhere that is not judged. */
function isWithin(cost: number, most = Number.POSITIVE_INFINITY): boolean {
  return cost <= most || (!isLinux && Number.isNaN(cost));
}

const RESAMPLES = 400;

/** What 95 of 100 medians lie between, of as many rounds drawn from these. */
function interval(ratios: number[]): string {
  const drawn = Array.from({ length: RESAMPLES }, () =>
    median(ratios.map(() => ratios[Math.floor(Math.random() * ratios.length)] as number)),
  );
  return `${at(drawn, 0.025).toFixed(2)} to ${at(drawn, 0.975).toFixed(2)}`;
}

function told(target: Target): string {
  return Object.entries(target)
    .map(([what, value]) => `${what} ${value}`)
    .join(", ");
}
