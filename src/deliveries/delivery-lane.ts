import { DurableObject } from "cloudflare:workers";
import type { Env } from "../platform/config.ts";
import { backgroundWork, type Context, inWorkspace } from "../platform/context/context.ts";
import { retryTransient } from "../platform/db/retry.ts";
import { createLog } from "../platform/log.ts";
import { isOverload, overloadPauseSeconds } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import { attempt, refusal } from "./attempt.ts";
import {
  type DueDelivery,
  endForNobody,
  findPendingTarget,
  type Lane,
  nextDue,
  parkClosed,
  recordAttempt,
  recoverInterrupted,
  takeDue,
} from "./lane.repository.ts";
import { type LaneWakeUp, readLaneWakeUp, wakeLanes } from "./lane-wake-up.ts";
import { resendFailed } from "./recovery.ts";
import { consequenceOf, INTERNAL_ERROR, SECRET_UNREADABLE } from "./retry-policy.ts";
import type { Target, TargetPorts } from "./targets.ts";

/** Attempts at a time. An invocation may hold six connections; D1 may need one. */
const WIDTH = 5;
/** Longer than an attempt can take. */
const LEASE_MILLISECONDS = 60_000;
/** Leases differ from each other by a millisecond each, also when the clock stands still. */
const LEASE_SPREAD_MILLISECONDS = 1000;
/** A run ends after this and goes on in a new one, well within an alarm's time. */
const RUN_MILLISECONDS = 5 * 60_000;
const FAULT_PAUSE_MILLISECONDS = 5000;
/** A recovery that has more to look at waits so long, or the database would be its own. */
const RECOVERY_REST_MILLISECONDS = 1000;
const ROWS_A_SLICE = 500;

/**
 * Sends the deliveries of one target, so that a receiver that hangs holds up nobody else's. Its
 * alarm is the clock of retries: it outlives eviction and restarts. D1 says what is due.
 */
export abstract class TargetLane extends DurableObject<Env> {
  protected abstract readonly ports: TargetPorts;
  /** Whether a URL leads to the platform itself: nothing is sent there. */
  protected abstract readonly isOurs: (ctx: Context, url: string) => Promise<boolean>;
  #recovered = false;
  #lastLease = 0;
  #attempts = 0;
  #nudge = Promise.withResolvers<void>();

  /** Has the lane look at what is due, soon. Called again before that, it changes nothing. */
  async wake(wakeUp: LaneWakeUp | string): Promise<void> {
    const { storage } = this.ctx;
    this.#nudge.resolve();
    // Under a name of its own: code of before 2026-11-21 takes what is under `target` for an id.
    const name = typeof wakeUp === "string" ? "target" : "wakeUp";
    if (storage.kv.get(name) === undefined) storage.kv.put(name, wakeUp);
    const alarm = await storage.getAlarm();
    if (alarm === null || alarm > now()) await storage.setAlarm(now());
  }

  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const remembered = readLaneWakeUp(kv.get("wakeUp") ?? kv.get("target"));
    if (!remembered) return createLog().error("lane_without_target");
    if ("targetId" in remembered) return this.#handOver(remembered.targetId);
    const { workspace, target } = remembered;
    const ctx = inWorkspace(backgroundWork(this.env, this.ctx, createLog()), workspace);
    const next = await this.#run({ ctx, target, port: this.ports[target.kind] }).catch(
      (fault: unknown) => {
        ctx.log.error("lane_stopped", { target: target.id, fault });
        return (
          now() + (isOverload(fault) ? overloadPauseSeconds() * 1000 : FAULT_PAUSE_MILLISECONDS)
        );
      },
    );
    // A wake-up that came meanwhile has set the alarm earlier, and stays.
    const set = await this.ctx.storage.getAlarm();
    if (next !== undefined && (set === null || set > next)) await this.ctx.storage.setAlarm(next);
  }

  /** A lane of before 2026-11-21, named by a bare id: leaves what is due to the lane of today. */
  async #handOver(targetId: string): Promise<void> {
    const work = backgroundWork(this.env, this.ctx, createLog());
    const found = await findPendingTarget(work.db, targetId);
    if (found) {
      const { workspaceId, kind } = found;
      await wakeLanes(inWorkspace(work, workspaceId), [{ kind, id: targetId }]);
    }
    await this.ctx.storage.deleteAll();
  }

  /** Attempts all that is due; returns when the next delivery is. */
  async #run(lane: Lane): Promise<number | undefined> {
    const startedAt = now();
    this.#attempts = 0;
    if (!this.#recovered) {
      await recoverInterrupted(lane, now(), now() + LEASE_MILLISECONDS + LEASE_SPREAD_MILLISECONDS);
      this.#recovered = true;
    }
    const isRecovering = await resendFailed(lane.ctx, lane.target);
    const end = now() + RUN_MILLISECONDS;
    const running = new Set<Promise<void>>();
    while (now() < end) {
      // Before D1 is asked, so that a wake-up during the question is not taken for answered by it.
      this.#nudge = Promise.withResolvers();
      const { due, target, closed } = await takeDue(
        lane,
        WIDTH - running.size,
        now(),
        this.#lease(),
      );
      for (const delivery of due) {
        const run = this.#attempt(lane, delivery, target).finally(() => running.delete(run));
        running.add(run);
      }
      if (closed) await parkAllClosed(lane);
      // What is due ends by its attempt; what is due later would count as pending until then.
      if (!target && running.size === 0) await endAllForNobody(lane);
      if (running.size === 0 && !closed) break;
      if (running.size === 0) continue;
      await Promise.race([...running, this.#nudge.promise]);
      if (running.size === WIDTH) await Promise.race(running);
    }
    await Promise.all(running);
    this.#report(lane.ctx, lane, now() - startedAt);
    return isRecovering ? now() + RECOVERY_REST_MILLISECONDS : nextDue(lane);
  }

  async #attempt(lane: Lane, delivery: DueDelivery, target: Target | undefined): Promise<void> {
    const { env, log } = lane.ctx;
    const startedAt = now();
    this.#attempts++;
    const isOurs = (url: string) => this.isOurs(lane.ctx, url);
    const outcome = await attempt(env, { ...lane.port, isOurs }, delivery, target).catch(
      (fault: unknown) => {
        // A delivery that cannot be processed is retried, and ends, alone: the others go on.
        log.error("delivery_faulted", { delivery: delivery.id, fault });
        return refusal(INTERNAL_ERROR, now() - startedAt, false);
      },
    );
    if (outcome.error === SECRET_UNREADABLE)
      log.error(SECRET_UNREADABLE, { target: lane.target.id });
    const { number } = delivery;
    // A fault of ours is no reason to stop sending to a receiver.
    const isFault = outcome.error === INTERNAL_ERROR;
    const failingSince = isFault ? null : (target?.failingSince ?? null);
    const consequence = consequenceOf(outcome, { number, failingSince }, now(), Math.random());
    await retryTransient(() => recordAttempt(lane, delivery, outcome, consequence, now()));
  }

  #report({ log }: Context, { target }: Lane, milliseconds: number): void {
    if (this.#attempts === 0) return;
    const { kind, id } = target;
    log.info("lane_run", { kind, target: id, attempts: this.#attempts, milliseconds });
  }

  /** When a lease ends. No two are alike: a taking finds its own deliveries again by this time. */
  #lease(): number {
    this.#lastLease = Math.max(now() + LEASE_MILLISECONDS, this.#lastLease + 1);
    return this.#lastLease;
  }
}

/** What a lane may not send now is looked at by nobody until the workspace may again. */
async function parkAllClosed(lane: Lane): Promise<void> {
  while ((await parkClosed(lane, ROWS_A_SLICE)) === ROWS_A_SLICE);
}

async function endAllForNobody(lane: Lane): Promise<void> {
  while ((await endForNobody(lane, ROWS_A_SLICE)) === ROWS_A_SLICE);
}
