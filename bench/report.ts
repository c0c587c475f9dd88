import type { Outcome } from "./rounds.ts";

const COLUMNS = ["", "req/s", "p50 ms", "p99 ms", "CPU µs", "drained µs", "generator"];

export function printTable(outcomes: Outcome[]): void {
  const rows = outcomes.map((outcome) => [
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

/** Prints one contestant as ratios to another; whether it is within the target, if it has one. */
export function printRatio(subject: Outcome, base: Outcome, target?: Target): boolean {
  const rate = subject.rate / base.rate;
  const cpu = subject.cpu / base.cpu;
  const drained = subject.cpuDrained / base.cpuDrained;
  const p99 = subject.p99 / base.p99;
  const isMet =
    !target ||
    (rate >= target.rate &&
      !(cpu > (target.cpu ?? Infinity)) &&
      !(drained > (target.drained ?? Infinity)) &&
      p99 <= (target.p99 ?? Infinity));
  const verdict = target ? (isMet ? " (target met)" : ` (TARGET MISSED: ${told(target)})`) : "";
  console.log(
    `${subject.label}: ${rate.toFixed(2)} of ${base.label}'s rate, ${cpu.toFixed(2)} of its CPU ` +
      `(${drained.toFixed(2)} drained), ${p99.toFixed(2)} of its p99${verdict}`,
  );
  return isMet;
}

function told({ rate, ...most }: Target): string {
  return [`rate ${rate}`, ...Object.entries(most).map(([what, value]) => `${what} ${value}`)].join(
    ", ",
  );
}
