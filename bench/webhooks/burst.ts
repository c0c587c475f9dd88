import { setTimeout as pause } from "node:timers/promises";
import { A_SECOND } from "../../src/deliveries/fan-out-pace.ts";
import type { DatabaseWork, WorkDone } from "../database-work.ts";
import { processorTime } from "../processor-time.ts";
import { untilIdle } from "../rounds.ts";
import { difference, workOf } from "../statement-count.ts";
import { machineNow } from "./clock.ts";
import { untilReceived } from "./receivers.ts";
import { lastPublished, publishMany, type Tenant } from "./tenant.ts";

/** Longer than a lane waits before it brings what ended to the database. */
const QUIET_MILLISECONDS = 1500;
const PATIENCE_MILLISECONDS = 30_000;

export interface Burst {
  /** Deliveries a second, from the first publish to the last receipt. */
  rate: number;
  /** And of those that came after the last publish was answered, from that answer on. */
  tailRate: number;
  published: "batches" | "singles";
  publishSeconds: number;
  repeated: number;
  deliveries: number;
  /** Microseconds of its processor that the runtime took for each, with its database. */
  cpu: number;
}

export interface BurstWork extends Pick<Burst, "repeated" | "deliveries"> {
  work: WorkDone;
}

/** By when a workspace may have as much made at once again as before its last burst. */
const restedAt = new Map<Tenant, number>();

/** Publishes as fast as it can, once the workspace's last burst is paid off, and waits until all is received and written down. */
export async function burst(tenant: Tenant, events: number): Promise<Burst> {
  const { pid } = tenant.at;
  await rest(tenant);
  const cpu = processorTime(pid);
  const done = await deliver(tenant, events);
  await untilIdle(pid, QUIET_MILLISECONDS / 1000);
  return { ...done, cpu: (processorTime(pid) - cpu) / done.deliveries };
}

/** What a burst asks of the database, of a Signpost that counts it: that costs time of its own. */
export async function burstWork(tenant: Tenant, events: number): Promise<BurstWork> {
  const { port } = tenant.at;
  await rest(tenant);
  const before = await workOf(port);
  const { repeated, deliveries } = await deliver(tenant, events);
  return { work: difference(await untilQuiet(port), before), repeated, deliveries };
}

async function rest(tenant: Tenant): Promise<void> {
  await pause(Math.max((restedAt.get(tenant) ?? 0) - performance.now(), 0));
}

async function deliver(tenant: Tenant, events: number): Promise<Omit<Burst, "cpu">> {
  const { receivers } = tenant;
  const after = lastPublished();
  const began = machineNow();
  const published = await publishMany(tenant, events);
  const answered = machineNow();
  const got = await untilReceived(receivers, after, events);
  const ended = Math.max(...got.map(({ lastAt }) => lastAt));
  const deliveries = events * receivers.length;
  const late = got.flatMap(({ times }) => times).filter((time) => time > answered).length;
  restedAt.set(tenant, performance.now() + (deliveries / A_SECOND) * 1000);
  return {
    rate: (deliveries * 1000) / (ended - began),
    tailRate: late > 0 ? (late * 1000) / (ended - answered) : Number.NaN,
    published,
    publishSeconds: (answered - began) / 1000,
    repeated: got.reduce((sum, { repeated }) => sum + repeated, 0),
    deliveries,
  };
}

/** Waits until nobody writes to the database any more. */
async function untilQuiet(port: number): Promise<WorkDone> {
  const end = performance.now() + PATIENCE_MILLISECONDS;
  let last = await workOf(port);
  for (let since = performance.now(); performance.now() - since < QUIET_MILLISECONDS; ) {
    if (performance.now() > end) throw new Error("The database does not come to rest.");
    await pause(100);
    const work = await workOf(port);
    if (total(work).rowsWritten !== total(last).rowsWritten) since = performance.now();
    last = work;
  }
  return last;
}

export function total({ requests, lanes, others }: WorkDone): DatabaseWork {
  const sum = (of: keyof DatabaseWork) => requests[of] + lanes[of] + others[of];
  return {
    statements: sum("statements"),
    roundTrips: sum("roundTrips"),
    rowsRead: sum("rowsRead"),
    rowsWritten: sum("rowsWritten"),
  };
}
