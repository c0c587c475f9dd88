import { randomBytes } from "../../platform/bytes.ts";
import type { PlatformContext } from "../../platform/context/context.ts";
import { findJobPlace, moveJobPlace } from "../../platform/db/job-places.ts";
import { createLog } from "../../platform/log.ts";
import { now } from "../../platform/time.ts";
import { DAY_MILLISECONDS, dayOf, saltName } from "./salt-days.ts";

/** From noon (UTC) on, tomorrow's is made: long before it is read, so that KV has it everywhere. */
const MADE_AHEAD_MILLISECONDS = DAY_MILLISECONDS / 2;
const KEPT_DAYS = 2;
export const SALT_BYTES = 32;
/** Longer than a cron's run may take (15 minutes): who claimed a day before that writes no more. */
const CLAIM_MILLISECONDS = 20 * 60 * 1000;
/** Where there is none, KV says so for a minute. */
const NONE_MILLISECONDS = 60 * 1000;
/** A KV that failed may answer the next time; not asked by each sending, of which there is one a second. */
const FAILED_MILLISECONDS = 5000;
const PATIENCE_MILLISECONDS = 3000;
const JOB = "make_visitor_salts";

/** The salts that visitors are hashed with, by day (UTC), as an isolate knows them. Makes none. */
export class DaySalts {
  readonly #salts = new Map<number, Uint8Array>();
  readonly #askAgainAt = new Map<number, number>();

  /** The salt of a day, if it was found before. */
  held(day: number): Uint8Array | undefined {
    return this.#salts.get(day);
  }

  /** The salt of a day; undefined when there is none, or none to be had now. Never throws. */
  async find(salts: KVNamespace, day: number): Promise<Uint8Array | undefined> {
    const held = this.#salts.get(day);
    if (held || (this.#askAgainAt.get(day) ?? 0) > now()) return held;
    let pause = FAILED_MILLISECONDS;
    try {
      // Not shared by flushes: what one request waits for may end with it.
      const salt = await Promise.race([salts.get(saltName(day), "arrayBuffer"), patience()]);
      if (!salt) {
        pause = NONE_MILLISECONDS;
        throw new Error("There is no salt of this day.");
      }
      const bytes = new Uint8Array(salt);
      this.#salts.set(day, bytes);
      return bytes;
    } catch (fault) {
      this.#askAgainAt.set(day, now() + pause);
      createLog().error("visitors_uncounted", { fault });
      return undefined;
    }
  }

  /** Forgets the salts of days that are over. */
  forgetPast(): void {
    const today = dayOf(now());
    for (const days of [this.#salts, this.#askAgainAt]) {
      for (const day of days.keys()) if (day !== today) days.delete(day);
    }
  }
}

/**
 * Makes the salt of today, if there is none yet, and from noon on of tomorrow. D1 says who makes it,
 * because KV cannot: it forgets a write for up to a minute, and takes whatever came last.
 */
export async function makeDaySalts(ctx: PlatformContext): Promise<void> {
  const time = now();
  const place = await findJobPlace(ctx.db, JOB);
  const [last = 0, claimedAt = 0] = place.split(" ").map(Number);
  const isOpen = claimedAt > 0;
  if (isOpen && time < claimedAt + CLAIM_MILLISECONDS) return;
  const first = Math.max(isOpen ? last : last + 1, dayOf(time));
  let held = place;
  for (let day = first; day <= dayOf(time + MADE_AHEAD_MILLISECONDS); day++) {
    const claim = `${day} ${time}`;
    if (!(await moveJobPlace(ctx.db, JOB, held, claim))) return;
    await makeSalt(ctx.env.SALTS, day);
    held = `${day}`;
    await moveJobPlace(ctx.db, JOB, claim, held);
  }
}

async function patience(): Promise<never> {
  await scheduler.wait(PATIENCE_MILLISECONDS);
  throw new Error("The salt of this day was not read in time.");
}

async function makeSalt(salts: KVNamespace, day: number): Promise<void> {
  if ((await salts.get(saltName(day), "arrayBuffer")) !== null) return;
  const expiration = ((day + KEPT_DAYS) * DAY_MILLISECONDS) / 1000;
  await salts.put(saltName(day), randomBytes(SALT_BYTES), { expiration });
}
