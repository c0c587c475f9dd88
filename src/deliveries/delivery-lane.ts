import { DurableObject } from "cloudflare:workers";
import { announceEvents } from "../events/events.service.ts";
import type { Env } from "../platform/config.ts";
import { backgroundWork, type Context, inWorkspace } from "../platform/context/context.ts";
import { CutOffs } from "../platform/cut-off.ts";
import { createLog } from "../platform/log.ts";
import { POST_MILLISECONDS } from "../platform/outbound/post-json.ts";
import { isOverload, overloadPauseSeconds } from "../platform/overload.ts";
import { now } from "../platform/time.ts";
import { attempt, NotAttempted, refusal } from "./attempt.ts";
import type { Attempted, DueDelivery } from "./delivery-attempt.ts";
import { endForNobody, findPendingTarget, parkClosed } from "./lane.repository.ts";
import { LaneJournal } from "./lane-journal.repository.ts";
import { LaneRun } from "./lane-run.ts";
import { type LaneWakeUp, readLaneWakeUp, wakeLanes } from "./lane-wake-up.ts";
import { endRecoveries } from "./recoveries.repository.ts";
import { resendFailed } from "./recovery.ts";
import { releaseDeferred } from "./release.repository.ts";
import { consequenceOf, INTERNAL_ERROR, SECRET_UNREADABLE } from "./retry-policy.ts";
import type { Lane, Target, TargetPorts } from "./targets.ts";

const FAULT_PAUSE_MILLISECONDS = 5000;
/** A recovery that has more to look at waits so long, or the database would be its own. */
const RECOVERY_REST_MILLISECONDS = 1000;
const ROWS_A_SLICE = 500;
/** So many deferred deliveries are released at a time: as many as a reading takes. */
const RELEASED = 100;
const PROBED = "probed";
const PROBE_MILLISECONDS = 5 * 60_000;
/** An invocation may call the database a thousand times: twice a slice. */
const SLICES_A_RUN = 100;

/**
 * Sends the deliveries of one target, so that a receiver that hangs holds up nobody else's. Its
 * alarm is the clock of retries: it outlives eviction and restarts. D1 says what is owed, the
 * lane's journal what is under way.
 */
export abstract class TargetLane extends DurableObject<Env> {
  protected abstract readonly ports: TargetPorts;
  /** Whether a URL leads to the platform itself: nothing is sent there. */
  protected abstract readonly isOurs: (ctx: Context, url: string) => Promise<boolean>;
  #run: LaneRun | undefined;
  /** A wake-up has set the alarm, which has not rung yet. */
  #isWoken = false;

  /** Has the lane look at what is due, soon. Called again before that, it changes nothing. */
  async wake(wakeUp: LaneWakeUp | string): Promise<void> {
    const { storage } = this.ctx;
    // If the run dies before it looks, its alarm comes again.
    if (this.#run?.wake()) return;
    const alarm = await storage.getAlarm();
    // Nothing is awaited from here on: a run that ends may delete all that is written before.
    // Under a name of its own: code of before 2026-11-21 takes what is under `target` for an id.
    const name = typeof wakeUp === "string" ? "target" : "wakeUp";
    if (storage.kv.get(name) === undefined) storage.kv.put(name, wakeUp);
    if (alarm !== null && alarm <= now()) return;
    this.#isWoken = true;
    await storage.setAlarm(now());
  }

  /** The target was changed: no attempt begins with what was known of it before. */
  async targetChanged(wakeUp: LaneWakeUp): Promise<void> {
    this.#run?.forget();
    await this.wake(wakeUp);
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const { kv } = storage;
    this.#isWoken = false;
    const remembered = readLaneWakeUp(kv.get("wakeUp") ?? kv.get("target"));
    if (!remembered) return createLog().error("lane_without_target");
    if ("targetId" in remembered) return this.#handOver(remembered.targetId);
    // What is under way in a run that goes on would seem cut off to a second one.
    if (this.#run?.wake()) return;
    const { workspace, target } = remembered;
    const ctx = inWorkspace(backgroundWork(this.env, this.ctx, createLog()), workspace);
    const next = await this.#send({ ctx, target, port: this.ports[target.kind] }).catch(
      (fault: unknown) => {
        ctx.log.error("lane_stopped", { target: target.id, fault });
        return (
          now() + (isOverload(fault) ? overloadPauseSeconds() * 1000 : FAULT_PAUSE_MILLISECONDS)
        );
      },
    );
    const set = await storage.getAlarm();
    // A wake-up may have come since that was read. Its alarm is earlier, and stays.
    if (this.#isWoken) return;
    if (next !== undefined && (set === null || set > next)) return storage.setAlarm(next);
    // There may be any number of targets that are gone: with nothing left that waits for it, a lane
    // keeps nothing. Whatever still comes wakes it as one that is new.
    const isDone = next === undefined && set === null && this.#run?.isForNobody;
    if (isDone) await storage.deleteAll();
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
  async #send(lane: Lane): Promise<number | undefined> {
    const startedAt = now();
    let hasRecovered = false;
    let restUntil = Number.POSITIVE_INFINITY;
    const leastOf = ({ failingSince }: Target) => (failingSince === null ? 0 : this.#probe());
    const cutOffs = new CutOffs(POST_MILLISECONDS);
    const run = new LaneRun(lane, new LaneJournal(this.ctx.storage), {
      attempt: (...asked) => this.#attempt(lane, cutOffs, ...asked),
      async endForNobody() {
        const slice = { limit: ROWS_A_SLICE, now: now() };
        for (let made = 0; made < SLICES_A_RUN; made++) {
          const recoveries = await endRecoveries(lane, slice);
          const isLeft = recoveries === ROWS_A_SLICE;
          if (!isLeft && (await endForNobody(lane, ROWS_A_SLICE)) < ROWS_A_SLICE) return false;
        }
        return true;
      },
      // In slices: what ends meanwhile is brought to the database in between.
      async settle({ isClosed, isRecovering, isDeferring, isMore, wantedEvent, target }) {
        lane.ctx.waitUntil(announceEvents(lane.ctx, wantedEvent));
        // What may not be sent now is looked at by nobody until the workspace may again.
        if (isClosed) await parkClosed(lane, ROWS_A_SLICE);
        // Once what was pending is read, or on its way. A recovery goes first: what failed is older.
        else if (
          target &&
          isDeferring &&
          !isMore &&
          (hasRecovered || !isRecovering || !target.enabled)
        ) {
          const slice = { limit: RELEASED, least: leastOf(target), now: now() };
          const released = await releaseDeferred(lane, target, slice);
          if (released > 0) return true;
        }
        if (!target || !isRecovering) return isClosed;
        // As what waits for it does: whoever switches it on again may ask for another.
        if (!target.enabled) {
          const ended = await endRecoveries(lane, { limit: ROWS_A_SLICE, now: now() });
          return ended === ROWS_A_SLICE || isClosed;
        }
        if (hasRecovered) return isClosed;
        hasRecovered = true;
        const isLeft = await resendFailed(lane, target, () => leastOf(target));
        if (isLeft) restUntil = now() + RECOVERY_REST_MILLISECONDS;
        return true;
      },
    });
    this.#run = run;
    const next = await run.run().finally(() => cutOffs.close());
    this.#report(lane, run.attempts, now() - startedAt);
    const at = Math.min(next ?? Number.POSITIVE_INFINITY, restUntil);
    return Number.isFinite(at) ? at : undefined;
  }

  /** One delivery of a target that fails, and whose share is full, tells now and then whether it still does. */
  #probe(): 0 | 1 {
    const { kv } = this.ctx.storage;
    if (now() - (kv.get<number>(PROBED) ?? 0) < PROBE_MILLISECONDS) return 0;
    kv.put(PROBED, now());
    return 1;
  }

  async #attempt(
    lane: Lane,
    cutOffs: CutOffs,
    delivery: DueDelivery,
    target: Target | undefined,
    onAsk: () => void,
  ): Promise<Attempted> {
    const { env, log } = lane.ctx;
    const startedAt = now();
    const port = { ...lane.port, isOurs: (url: string) => this.isOurs(lane.ctx, url) };
    const cutOff = () => cutOffs.begin();
    const outcome = await attempt(env, port, delivery, target, onAsk, cutOff).catch(
      (fault: unknown) => {
        if (fault instanceof NotAttempted) throw fault;
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
    return { outcome, consequence };
  }

  #report({ ctx, target }: Lane, attempts: number, milliseconds: number): void {
    if (attempts === 0) return;
    const { kind, id } = target;
    ctx.log.info("lane_run", { kind, target: id, attempts, milliseconds });
  }
}
