import { now } from "../platform/time.ts";
import type { DueDelivery } from "./delivery-attempt.ts";
import type { Exchanged } from "./lane.repository.ts";
import type { Target } from "./targets.ts";

/** What was read is believed so long: the workspace may be suspended, a payload erased by then. */
export const BELIEVED_MILLISECONDS = 800;
/** So many deliveries are read at a time: more when they are used up quickly. */
const READ = { least: 5, first: 10, most: 100 };

/** What a lane has read of what is due and has not begun, with the target as it was then. */
export class LaneReading {
  #waiting: DueDelivery[] = [];
  #target: Target | undefined;
  #readAt = 0;
  /** Nothing of it has been looked at yet. */
  #isFresh = false;
  #size = READ.first;
  #version = 0;

  /** How many wait. */
  get count(): number {
    return this.#waiting.length;
  }

  get target(): Target | undefined {
    return this.#target;
  }

  get believedUntil(): number {
    return this.#readAt + BELIEVED_MILLISECONDS;
  }

  /** How many to read next. */
  get size(): number {
    return this.#size;
  }

  /** Changes when what is being read is not to be believed. */
  get version(): number {
    return this.#version;
  }

  /** The first so many, which wait no more. */
  begin(count: number): DueDelivery[] {
    return this.#waiting.splice(0, count);
  }

  /** Those that come next, if they wait for their first attempt. */
  firstAttempts(count: number): DueDelivery[] {
    return this.#waiting.slice(0, count).filter(({ number }) => number === 1);
  }

  /** Takes what was read, begun at a version, instead of what waited; whether it is believed. */
  take({ isMore, target }: Exchanged, due: DueDelivery[], version: number): boolean {
    if (isMore) this.#size = Math.min(this.#size * 2, READ.most);
    if (version !== this.#version) return false;
    this.#target = target;
    this.#readAt = now();
    this.#isFresh = true;
    this.#waiting = due;
    return true;
  }

  /** Drops what waits, and what is being read. */
  forget(): void {
    this.#version++;
    this.#waiting = [];
  }

  /**
   * Whether anything waits that was read too long ago. Some of what is read is begun in any case:
   * however long reading takes, there is progress.
   */
  isOld(): boolean {
    const age = now() - this.#readAt;
    const isOld = !this.#isFresh && !(age >= 0 && age < BELIEVED_MILLISECONDS);
    this.#isFresh = false;
    return isOld && this.#waiting.length > 0;
  }

  /** Drops what waits; what became old is read in smaller parts. */
  drop({ isOld }: { isOld: boolean }): void {
    this.#waiting = [];
    if (isOld) this.#size = Math.max(Math.ceil(this.#size / 2), READ.least);
  }

  /** Lets go of the target: it holds the receiver's secret, opened. */
  close(): void {
    this.#target = undefined;
  }
}
