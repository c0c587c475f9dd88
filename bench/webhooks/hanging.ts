/** What the neighbours of a receiver that hangs feel of it, told apart from what the machine does. */
import { setTimeout as pause } from "node:timers/promises";
import { at } from "../statistics.ts";
import { hang, type Receiver, recover, untilReceived } from "./receivers.ts";
import { steady } from "./steady.ts";
import { lastPublished, type Tenant } from "./tenant.ts";

/** Longer than a lane waits before it brings what ended to the database. */
const REST_MILLISECONDS = 1000;
/** In this order, so that a machine that gets busier does so for both. */
const ORDER = ["healthy", "beside", "beside", "healthy"] as const;
const RESAMPLES = 400;
/** An interval of about 95 %: it is looked at after each round, so somewhat less. */
const TAIL = 0.025;

/** Lags of some seconds each with all receivers well, and of those beside one that hangs. */
export interface SteadyRound {
  healthy: number[][];
  beside: number[][];
}

/** A ratio as it was measured, and its interval of about 95 %. */
export interface Ratio {
  measured: number;
  low: number;
  high: number;
}

/** A steady stream to all, and with the first of them hanging, in turns; the lags of the others. */
export async function steadyRound(tenant: Tenant, seconds: number): Promise<SteadyRound> {
  const [first, ...others] = tenant.receivers as [Receiver, ...Receiver[]];
  const round: SteadyRound = { healthy: [], beside: [] };
  for (const kind of ORDER) {
    const before = lastPublished();
    if (kind === "beside") await hang(first);
    round[kind].push(await steady(tenant, seconds, others));
    if (kind === "beside") await recover(first);
    // What waited for it is no matter of the next ones.
    await untilReceived([first], before, lastPublished() - before);
    await pause(REST_MILLISECONDS);
  }
  return round;
}

export const slicesOf = (rounds: SteadyRound[], kind: keyof SteadyRound) =>
  rounds.flatMap((round) => round[kind]);

/**
 * What 99 of 100 lags beside one that hangs are below, by that of the others. All lags of an event,
 * and of events near it, are late together: a slice is drawn as a whole.
 */
export function ratioOfHanging(rounds: SteadyRound[]): Ratio {
  return ratioOf(slicesOf(rounds, "beside"), slicesOf(rounds, "healthy"));
}

/** The same of slices that differ in nothing, half as many: what chance makes of it. */
export function ratioOfChance(rounds: SteadyRound[]): Ratio {
  const slices = slicesOf(rounds, "healthy");
  // Of each round's first and last one goes to either half, by turns.
  const half = (rest: number) =>
    slices.filter((_, place) => (Math.floor(place / 2) + place) % 2 === rest);
  return ratioOf(half(0), half(1));
}

function ratioOf(over: number[][], under: number[][]): Ratio {
  const p99 = (slices: number[][]) => at(slices.flat(), 0.99);
  const drawn = Array.from({ length: RESAMPLES }, () => p99(draw(over)) / p99(draw(under)));
  return { measured: p99(over) / p99(under), low: at(drawn, TAIL), high: at(drawn, 1 - TAIL) };
}

/** As many, some of them more than once. */
function draw<T>(all: T[]): T[] {
  return all.map(() => all[Math.floor(Math.random() * all.length)] as T);
}
