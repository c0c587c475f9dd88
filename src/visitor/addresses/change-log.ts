import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../platform/config.ts";
import { inTime } from "../../platform/in-time.ts";
import { now } from "../../platform/time.ts";
import type { Asked, Position } from "./address.ts";
import {
  type Change,
  type ChangeWindow,
  continued,
  type KnownAsOf,
  LastChanges,
  MOST_READ,
  windowOf,
  withReadingBefore,
} from "./change-window.ts";
import { findChanges } from "./changes.repository.ts";
import { findShared, share } from "./shared-cache.ts";

/** The data centre asks the database this often, however many isolates it has: 720 times an hour. */
const SHARED_SECONDS = 5;
/** How soon an isolate looks again at what another one has read. */
const LOOK_AGAIN_MILLISECONDS = 2000;
/**
 * What is known to be true as of this time is served without a question. With a second each for
 * the reading and for the cache, which counts whole ones, a change is seen in 10 s.
 */
const TRUSTED_MILLISECONDS = 8000;
/** A cache that gives the same reading for longer does not keep its time: it is passed by. */
const READING_MILLISECONDS = SHARED_SECONDS * 1000 + 1000;
/** After it could not be read once it is asked again so soon: one blip makes nothing older than 10 s. */
const BLIP_MILLISECONDS = 1000;
/** After it could not be read twice, or in time, it is asked again so soon, behind the visitors' backs. */
const RETRY_MILLISECONDS = 5000;
/** They wait for it no more until that has had its time as well. */
const EXCUSED_MILLISECONDS = 8000;
/** What has changed since may take so many readings in a row: 600 changes a second. */
const MOST_READINGS = 3;
const WINDOW = "changes";
/** The same, as long as addresses are shared, for isolates that are born while the database is gone. */
const LAST_WINDOW = "last changes";
const LAST_WINDOW_SECONDS = 24 * 60 * 60;
/** Without changes it is put there anew so often. */
const KEEP_AGAIN_MILLISECONDS = 60 * 60 * 1000;

/** Whose reading has not ended then may have gone away. */
const GIVEN_UP_MILLISECONDS = 5000;

/** What an isolate does about changes. */
interface Follower {
  changed(changes: Change[]): void;
  /** What changed in between is not known: `mayHold` says of what was found whether it still holds. */
  lostTrack(mayHold: (found: KnownAsOf, asked: Asked) => boolean): void;
}

/** Follows the log of what changed for visitors, for one isolate. */
export class ChangeLog {
  readonly #follower: Follower;
  #window: ChangeWindow | undefined;
  #last: LastChanges | undefined;
  /** All that changed until then is known. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** For so long after a time it is not looked for changes. */
  #pause = { since: 0, milliseconds: 0 };
  #excusedAt = Number.NEGATIVE_INFINITY;
  /** Since it was last read. */
  #failures = 0;
  /** Resolved when it has been read after a failure, or nobody waits for that any more. */
  #recovered = Promise.withResolvers<void>();
  #kept = { head: -1, at: 0 };
  #readingSince = { reading: "", at: 0 };
  #underway: { done: Promise<void>; since: number } | undefined;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  /** Whether anything is known of it. */
  get isKnown(): boolean {
    return this.#last !== undefined;
  }

  /** What is read from the primary is as new as all that is known here. */
  get atPrimary(): Position {
    return this.#last?.atPrimary ?? { asOf: 0, from: "primary" };
  }

  /** From where to read what has not changed lately. */
  get anywhere(): Position {
    return this.#last?.anywhere ?? this.atPrimary;
  }

  /** Whether all that changed until some seconds ago is known, or cannot be known for now. */
  isTrusted(time: number): boolean {
    return (
      isWithin(TRUSTED_MILLISECONDS, this.#knownAt, time) ||
      isWithin(EXCUSED_MILLISECONDS, this.#excusedAt, time)
    );
  }

  /** It could not be read in time: for a while nobody waits for it, or asks. */
  excuse(): void {
    this.#failures = Math.max(this.#failures, 1);
    this.#excusedAt = now();
    this.#recovered.resolve();
    this.#pause = { since: this.#excusedAt, milliseconds: RETRY_MILLISECONDS };
  }

  /** Whether it is time to look for changes. */
  isDue(time: number): boolean {
    const { since, milliseconds } = this.#pause;
    return !isWithin(milliseconds, since, time) && this.underway(time) === undefined;
  }

  /** After it could not be read: ends when it may be asked again, or somebody has read it. */
  async rested(): Promise<void> {
    const { since, milliseconds } = this.#pause;
    const time = now();
    if (this.#failures === 0 || !isWithin(milliseconds, since, time)) return;
    await inTime(this.#recovered.promise, since + milliseconds - time);
  }

  /** Whether what was found still holds, as far as is known. */
  mayHold(found: KnownAsOf, asked: Asked): boolean {
    return !this.#last?.isOutdated(found, asked);
  }

  /** Whether an address, or its domain, has changed since the reading that replicas are asked for. */
  hasChangedLately(asked: Asked): boolean {
    return !this.mayHold({ asOf: this.anywhere.asOf, workspaceId: null }, asked);
  }

  /** What reads it on just now, if somebody does. */
  underway(time: number): Promise<void> | undefined {
    const { done, since } = this.#underway ?? { since: Number.NaN };
    return isWithin(GIVEN_UP_MILLISECONDS, since, time) ? done : undefined;
  }

  /** Reads on. */
  follow(env: Env): Promise<void> {
    const isLast = () => this.#underway?.done === done;
    const done = this.#readOn(env)
      .catch((error: unknown) => {
        if (isLast()) this.#failed();
        throw error;
      })
      .finally(() => {
        if (isLast()) this.#underway = undefined;
      });
    this.#underway = { done, since: now() };
    return done;
  }

  /**
   * Takes what was last known of it in this data centre, however long ago, if nothing is known here:
   * it tells of what had changed by then at least. Nothing is trusted for it.
   */
  async recall(env: Env): Promise<void> {
    const window = await findShared<ChangeWindow>(env, LAST_WINDOW);
    if (window) this.#last ??= new LastChanges(window);
  }

  #failed(): void {
    this.#failures++;
    if (this.#failures > 1) {
      this.excuse();
      return;
    }
    this.#recovered = Promise.withResolvers();
    this.#pause = { since: now(), milliseconds: BLIP_MILLISECONDS };
  }

  async #readOn(env: Env): Promise<void> {
    const lookedAt = now();
    const before = this.#window;
    const shared = await findShared<ChangeWindow>(env, WINDOW);
    if (this.#window !== before) return;
    if (shared && this.#isTimely(shared) && shared.head >= (before?.head ?? 0)) {
      this.#pause = { since: now(), milliseconds: LOOK_AGAIN_MILLISECONDS };
      this.#take(shared, lookedAt - SHARED_SECONDS * 1000);
      return;
    }
    const askedAt = now();
    const known = newest(before, shared);
    const [read, last] = await Promise.all([
      readFrom(env, known, crypto.randomUUID()),
      known ?? findShared<ChangeWindow>(env, LAST_WINDOW),
    ]);
    const window = withReadingBefore(read, last);
    // One that began later was quicker: this one must not take the log back.
    if (this.#window !== before) return;
    this.#readingSince = { reading: window.reading, at: askedAt };
    this.#pause = { since: now(), milliseconds: SHARED_SECONDS * 1000 };
    this.#take(window, askedAt);
    // It was true when it was asked for: how long it took is not added to that.
    const seconds = SHARED_SECONDS - Math.floor((now() - askedAt) / 1000);
    if (seconds > 0) waitUntil(share(env, WINDOW, window, seconds));
    if (this.#kept.head === window.head && isWithin(KEEP_AGAIN_MILLISECONDS, this.#kept.at, now()))
      return;
    this.#kept = { head: window.head, at: now() };
    waitUntil(share(env, LAST_WINDOW, window, LAST_WINDOW_SECONDS));
  }

  /** Whether the cache gave something that it may still have. */
  #isTimely({ reading }: ChangeWindow): boolean {
    if (reading !== this.#readingSince.reading) {
      this.#readingSince = { reading, at: now() };
      return true;
    }
    return isWithin(READING_MILLISECONDS, this.#readingSince.at, now());
  }

  #take(window: ChangeWindow, knownAt: number): void {
    this.#knownAt = knownAt;
    this.#failures = 0;
    this.#recovered.resolve();
    const before = this.#window;
    if (before?.reading === window.reading) return;
    const last = new LastChanges(window);
    this.#window = window;
    this.#last = last;
    // A backup was restored.
    if (before && window.head < before.head) this.#follower.lostTrack(() => false);
    else if (!before || window.since > before.head)
      this.#follower.lostTrack((found, asked) => !last.isOutdated(found, asked));
    else this.#follower.changed(window.changes.filter(([id]) => id > before.head));
  }
}

/** The log as it is now, on from what is known of it. */
async function readFrom(
  env: Env,
  known: ChangeWindow | undefined,
  reading: string,
): Promise<ChangeWindow> {
  let window = known;
  for (let readings = 0; window && readings < MOST_READINGS; readings++) {
    const read = await findChanges(env, window.head);
    window = continued(window, read, reading);
    if (window && read.changes.length < MOST_READ) return window;
  }
  // It is of a log that was cleaned, or of a restored backup; or there is too much to read on.
  return windowOf(await findChanges(env), reading);
}

function newest(
  one: ChangeWindow | undefined,
  other: ChangeWindow | undefined,
): ChangeWindow | undefined {
  if (!one || !other) return one ?? other;
  return other.head > one.head ? other : one;
}

/** Not so either when the clock was set back: nobody knows then how long ago something was. */
function isWithin(milliseconds: number, since: number, time: number): boolean {
  return time >= since && time - since < milliseconds;
}
