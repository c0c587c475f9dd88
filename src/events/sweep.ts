import type { Database } from "../db/client.ts";
import type { Env } from "../env.ts";
import { wakeOverdueMessages } from "../features/messages/message-sending.ts";
import { wakeLanes } from "../features/webhooks/deliveries/delivery-lane.ts";
import { fanOutForgotten } from "../features/webhooks/deliveries/fan-out.ts";
import { findOverdueTargets } from "../features/webhooks/deliveries/lane.repository.ts";
import { now } from "../lib/clock.ts";

const GRACE_MILLISECONDS = 5000;
const LANES_A_SWEEP = 500;

/** Finds what a lost wake-up has left lying: events not fanned out, deliveries and messages overdue. */
export async function sweep(env: Env, db: Database): Promise<void> {
  await fanOutForgotten(env, db);
  await wakeOverdueMessages(env, db, now() - GRACE_MILLISECONDS);
  await wakeLanes(env, await findOverdueTargets(db, now() - GRACE_MILLISECONDS, LANES_A_SWEEP));
}
