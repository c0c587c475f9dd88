import { DurableObject } from "cloudflare:workers";
import { type Database, database } from "../../../db/client.ts";
import { describeFault } from "../../../db/faults.ts";
import { retryTransient } from "../../../db/retry.ts";
import type { Env } from "../../../env.ts";
import { now } from "../../../lib/clock.ts";
import { attempt } from "./attempt.ts";
import {
  type DueDelivery,
  type LaneTarget,
  nextDue,
  recordAttempt,
  recoverInterrupted,
  takeDue,
} from "./lane.repository.ts";
import { resendFailed } from "./recovery.ts";
import { consequenceOf } from "./retry-policy.ts";

/** Attempts at a time. An invocation may hold six connections; D1 may need one. */
const WIDTH = 5;
/** Longer than an attempt can take. */
const LEASE_MILLISECONDS = 60_000;
/** A run ends after this and goes on in a new one, well within an alarm's time. */
const RUN_MILLISECONDS = 5 * 60_000;
const FAULT_PAUSE_MILLISECONDS = 5000;

/**
 * Sends the deliveries of one target, so that a receiver that hangs holds up nobody else's. Its
 * alarm is the clock of retries: it outlives eviction and restarts. D1 says what is due.
 */
export class DeliveryLane extends DurableObject<Env> {
  #recovered = false;
  #lastLease = 0;
  #nudge = Promise.withResolvers<void>();

  /** Has the lane look at what is due, soon. Called again before that, it changes nothing. */
  async wake(targetId: string): Promise<void> {
    const { storage } = this.ctx;
    this.#nudge.resolve();
    if (storage.kv.get("target") === undefined) storage.kv.put("target", targetId);
    const alarm = await storage.getAlarm();
    if (alarm === null || alarm > now()) await storage.setAlarm(now());
  }

  override async alarm(): Promise<void> {
    const targetId = this.ctx.storage.kv.get<string>("target");
    if (targetId === undefined) return;
    const db = database(this.env.DB);
    const next = await this.#run(db, targetId).catch((error: unknown) => {
      console.error({ event: "lane_stopped", targetId, fault: describeFault(error) });
      return now() + FAULT_PAUSE_MILLISECONDS;
    });
    // A wake-up that came meanwhile has set the alarm earlier, and stays.
    const set = await this.ctx.storage.getAlarm();
    if (next !== undefined && (set === null || set > next)) await this.ctx.storage.setAlarm(next);
  }

  /** Attempts all that is due; returns when the next delivery is. */
  async #run(db: Database, targetId: string): Promise<number | undefined> {
    if (!this.#recovered) {
      await recoverInterrupted(db, targetId, now());
      this.#recovered = true;
    }
    await resendFailed(db, targetId);
    const end = now() + RUN_MILLISECONDS;
    const running = new Set<Promise<void>>();
    while (now() < end) {
      // Before looking: a wake-up from here on is news, an older one is answered by this look.
      this.#nudge = Promise.withResolvers();
      const { due, target } = await takeDue(
        db,
        targetId,
        WIDTH - running.size,
        now(),
        this.#lease(),
      );
      for (const delivery of due) {
        const run = this.#attempt(db, targetId, delivery, target).finally(() =>
          running.delete(run),
        );
        running.add(run);
      }
      if (running.size === 0) break;
      await Promise.race([...running, this.#nudge.promise]);
      if (running.size === WIDTH) await Promise.race(running);
    }
    await Promise.all(running);
    return nextDue(db, targetId);
  }

  async #attempt(
    db: Database,
    targetId: string,
    delivery: DueDelivery,
    target: LaneTarget | undefined,
  ): Promise<void> {
    const outcome = await attempt(this.env, delivery, target);
    const { number } = delivery;
    const failingSince = target?.failingSince ?? null;
    const consequence = consequenceOf(outcome, { number, failingSince }, now(), Math.random());
    await retryTransient(() => recordAttempt(db, delivery, targetId, outcome, consequence, now()));
  }

  /** The end of a lease, another for each taking, which tells its deliveries apart. */
  #lease(): number {
    this.#lastLease = Math.max(now() + LEASE_MILLISECONDS, this.#lastLease + 1);
    return this.#lastLease;
  }
}

/** Wakes the lanes of targets. A wake-up that is lost costs a minute: the sweep finds what is due. */
export async function wakeLanes(env: Env, targetIds: string[]): Promise<void> {
  await Promise.all(
    targetIds.map((id) =>
      env.DELIVERY_LANE.getByName(id)
        .wake(id)
        .catch((error: unknown) => {
          console.error({ event: "wake_up_lost", reason: String(error) });
        }),
    ),
  );
}
