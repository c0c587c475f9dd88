import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import { now } from "../../../platform/time.ts";
import { waitInWindow } from "../../../visitor/password-budget.ts";
import type { Origin } from "../../../visitor/password-tries.repository.ts";
import { CountedPosts } from "./form-posts.repository.ts";

const HOUR = 60 * 60_000;
/** Who can take many IPv6 addresses gets as many places with all of them as so many others. */
const NETWORK_SHARE = 10;

/** Whether what was sent may be looked at. */
interface Place {
  allowed: boolean;
  waitSeconds: number;
}

/**
 * Counts what is sent with a form, by address. One object for each form, so that a flood slows down
 * nothing but that. One that is refused reads a few rows and writes none; an hour after the last
 * one that was let in, the object is empty.
 */
export class FormPosts extends DurableObject<Env> {
  /** Takes one of an address's places of an hour, if it has one left. */
  async take({ address, network }: Origin, places: number): Promise<Place> {
    const time = now();
    const posts = new CountedPosts(this.ctx.storage.sql);
    const wait = Math.max(
      waitInWindow(posts.of("address", address, time - HOUR), places, HOUR, time),
      waitInWindow(posts.of("network", network, time - HOUR), NETWORK_SHARE * places, HOUR, time),
    );
    if (wait > 0) return { allowed: false, waitSeconds: Math.ceil(wait / 1000) };
    posts.add(address, network, time);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(time + HOUR);
    return { allowed: true, waitSeconds: 0 };
  }

  /** Forgets those that no longer count. */
  override async alarm(): Promise<void> {
    const oldest = new CountedPosts(this.ctx.storage.sql).forget(now() - HOUR);
    if (oldest === undefined) await this.ctx.storage.deleteAll();
    else await this.ctx.storage.setAlarm(oldest + HOUR);
  }
}
