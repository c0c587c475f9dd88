import { DurableObject } from "cloudflare:workers";
import type { Env } from "../platform/config.ts";
import { now } from "../platform/time.ts";
import { giveBack, take, waitForTry, waitInWindow } from "./password-budget.ts";
import { type Origin, PasswordTries } from "./password-tries.repository.ts";

const MINUTE = 60_000;
const TRIES_A_MINUTE = { address: 10, network: 60 };
const CLEAN_UP_MILLISECONDS = 2 * MINUTE;

/** Whether a try's password may be looked at. */
interface Attempt {
  allowed: boolean;
  waitSeconds: number;
  /** To say by that it was right. An object of before 2026-11-21, during a deploy, gives none. */
  id?: number;
}

/**
 * Counts tries at a link's password. One object for each link, so that a flood of guesses slows
 * down nothing but that link's form. A refused try reads a few rows and writes none.
 */
export class PasswordAttempts extends DurableObject<Env> {
  /** Takes one try, unless its address, its network or all together have had theirs. */
  async take(address: string, network = address): Promise<Attempt> {
    const time = now();
    const origin: Origin = { address, network };
    const tries = new PasswordTries(this.ctx.storage.sql);
    const budget = tries.budget(time);
    const { ofAddress, ofNetwork, failures } = tries.tried(origin, time);
    const wait = Math.max(
      waitInWindow(ofAddress, TRIES_A_MINUTE.address, MINUTE, time),
      waitInWindow(ofNetwork, TRIES_A_MINUTE.network, MINUTE, time),
      waitForTry(budget, failures, time),
    );
    if (wait > 0) return { allowed: false, waitSeconds: Math.ceil(wait / 1000) };
    const id = tries.add(origin, time);
    tries.setBudget(take(budget));
    const cleanUpAt = time + CLEAN_UP_MILLISECONDS;
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || planned > cleanUpAt) await this.ctx.storage.setAlarm(cleanUpAt);
    return { allowed: true, waitSeconds: 0, id };
  }

  /** A try was right, so it costs the link nothing. */
  markRight(id: number): void {
    const tries = new PasswordTries(this.ctx.storage.sql);
    if (tries.markRight(id)) tries.setBudget(giveBack(tries.budget(now())));
  }

  /** An hour after the last try nothing of them counts any more. */
  override async alarm(): Promise<void> {
    const next = new PasswordTries(this.ctx.storage.sql).forget(now());
    if (next === undefined) await this.ctx.storage.deleteAll();
    else await this.ctx.storage.setAlarm(next);
  }
}
