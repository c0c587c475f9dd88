import { DurableObject } from "cloudflare:workers";
import { SlidingWindow, type WindowState } from "../access/limits/sliding-window.repository.ts";
import type { Env } from "../platform/config.ts";
import { now } from "../platform/time.ts";

const TRIES_PER_MINUTE = 10;
const CLEAN_UP_MILLISECONDS = 2 * 60_000;

/**
 * Counts tries at a link's password. One object for each link, so that a flood of guesses slows
 * down nothing but that link's form.
 */
export class PasswordAttempts extends DurableObject<Env> {
  /** Counts one try of a client's address, unless it has had its tries of this minute. */
  async take(address: string): Promise<WindowState> {
    const window = new SlidingWindow(this.ctx.storage.sql);
    const state = window.peek(address, TRIES_PER_MINUTE, now());
    if (state.allowed) {
      window.count(address, TRIES_PER_MINUTE, now());
      await this.ctx.storage.setAlarm(now() + CLEAN_UP_MILLISECONDS);
    }
    return state;
  }

  /** Two minutes after the last try nothing of them counts any more. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
