import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pin } from "../processor-time.ts";
import type { Receipts, ReceiverOrder } from "./receiver-orders.ts";

/** The other one than workerd's. */
const PROCESSOR = 1;
const PATIENCE_MILLISECONDS = 180_000;

export interface Receiver {
  receiver: number;
  url: string;
}

const answers = new Map<number, (answer: unknown) => void>();
let orders = 0;
let child: ChildProcess | undefined;

function started(): ChildProcess {
  if (child) return child;
  child = fork(join(import.meta.dirname, "receivers-process.ts"));
  child.on("message", ([number, answer]: [number, unknown]) => {
    answers.get(number)?.(answer);
    answers.delete(number);
  });
  child.on("exit", (code) => {
    if (code) throw new Error("The receivers have ended.");
  });
  if (child.pid !== undefined) pin(child.pid, PROCESSOR);
  return child;
}

function ask<T>(order: ReceiverOrder): Promise<T> {
  const number = ++orders;
  return new Promise((resolve) => {
    answers.set(number, resolve as (answer: unknown) => void);
    started().send([number, order]);
  });
}

export const openReceiver = () => ask<Receiver>({ kind: "open" });

export async function openReceivers(count: number): Promise<Receiver[]> {
  const opened: Receiver[] = [];
  while (opened.length < count) opened.push(await openReceiver());
  return opened;
}

/** From now on it answers nothing. */
export const hang = ({ receiver }: Receiver) => ask<void>({ kind: "hang", receiver });

/** It answers again, those that wait too. */
export const recover = ({ receiver }: Receiver) => ask<void>({ kind: "recover", receiver });

/** Waits until each has `count` events with a number higher than `after`: what they got of those. */
export async function untilReceived(
  receivers: Receiver[],
  after: number,
  count: number,
): Promise<Receipts[]> {
  const end = performance.now() + PATIENCE_MILLISECONDS;
  const asked = receivers.map(({ receiver }) => receiver);
  for (;;) {
    const order: ReceiverOrder = { kind: "report", receivers: asked, after, count };
    const got = await ask<Receipts[] | null>(order);
    if (got) return got;
    if (performance.now() > end) throw new Error(`Not every one of ${count} events was received.`);
    await pause(50);
  }
}

export function stopReceivers(): void {
  child?.removeAllListeners("exit");
  child?.kill();
}
