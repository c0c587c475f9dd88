import { type Env, platformSettings } from "../config.ts";
import type { PlatformContext } from "../context/context.ts";
import { now } from "../time.ts";
import { sealPrefix } from "./vault.ts";

const SLICE = 500;
/** A minute's share; where it ended, the next minute finds what is left. */
const BUDGET_MILLISECONDS = 10_000;
/** Once all is sealed with today's key, an isolate looks again only after this. */
const REST_MILLISECONDS = 60 * 60_000;

/** The next records of a table, by id: those after one, up to a limit. */
export interface ResealPage {
  /** How all begins that is sealed with today's key. */
  prefix: Uint8Array;
  after: string;
  limit: number;
  time: number;
}

export interface ResealedSlice {
  /** How many records were looked at, and the id of the last. */
  looked: number;
  last: string | undefined;
  /** Of their values, those that another key has sealed, and what became of them. */
  stale: number;
  resealed: number;
  unreadable: number;
}

/**
 * A job that seals anew, with today's key, what an old one has sealed in a table, and tells how many
 * are left of those looked at in this round. `complete` ends a round: with nothing left then, the old
 * key may go. What no key opens is counted apart. While there is no old key it asks nobody anything.
 */
export function resealingJob(
  event: string,
  reseal: (ctx: PlatformContext, page: ResealPage) => Promise<ResealedSlice>,
): (ctx: PlatformContext) => Promise<void> {
  /** Where an isolate goes on: after which record, what it left of this round, not before when. */
  const places = new WeakMap<Env, { after: string; left: number; restsUntil: number }>();
  return async (ctx) => {
    const { env, log } = ctx;
    if (platformSettings.read(env).ENCRYPTION_KEYS_OLD.length === 0) return;
    const time = now();
    const place = places.get(env) ?? { after: "", left: 0, restsUntil: 0 };
    places.set(env, place);
    if (place.restsUntil > time) return;
    const prefix = await sealPrefix(env);
    const told = { resealed: 0, left: 0, unreadable: 0, complete: false };
    for (;;) {
      const page = { prefix, after: place.after, limit: SLICE, time };
      const { looked, last, stale, resealed, unreadable } = await reseal(ctx, page);
      told.resealed += resealed;
      told.unreadable += unreadable;
      place.left += stale - resealed - unreadable;
      told.left = place.left;
      place.after = looked < SLICE ? "" : (last ?? "");
      if (place.after === "") {
        if (place.left === 0) place.restsUntil = time + REST_MILLISECONDS;
        place.left = 0;
        told.complete = true;
        break;
      }
      if (now() - time >= BUDGET_MILLISECONDS) break;
    }
    log.info(event, told);
  };
}
