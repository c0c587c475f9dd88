import { now } from "./time.ts";

/** A signal that aborts after a time, unless it is ended before. */
export interface CutOff {
  signal: AbortSignal;
  /**
   * Frees its timer. An invocation may have 10,000 of them, and those of `AbortSignal.timeout` stay
   * until their time: a lane that makes many quick attempts had no more.
   */
  end(): void;
}

export function cutOffAfter(milliseconds: number): CutOff {
  const controller = new AbortController();
  const timer = setTimeout(() => abort(controller), milliseconds);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

function abort(controller: AbortController): void {
  controller.abort(new DOMException("It took too long.", "TimeoutError"));
}

/** Most of a quick receiver's attempts end within so long. */
const YOUNG_MILLISECONDS = 50;
/** And that timer rings so late at most, in a busy isolate. What the clock says beyond that, it was set. */
const LATE_MILLISECONDS = 1000;

interface Running {
  controller: AbortController;
  at: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Cut-offs after one and the same time, in one invocation. The young ones have one timer together,
 * as a timer for each took a twentieth of the time of a quick receiver's attempt; who outlives that
 * has one of its own. So the clock says only how young one was: wherever it is set, all end in time.
 */
export class CutOffs {
  readonly #milliseconds: number;
  readonly #young = new Set<Running>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  begin(): CutOff {
    const controller = new AbortController();
    const running: Running = { controller, at: now() + this.#milliseconds, timer: undefined };
    this.#young.add(running);
    this.#timer ??= setTimeout(() => this.#ring(), YOUNG_MILLISECONDS);
    const end = () => {
      this.#young.delete(running);
      clearTimeout(running.timer ?? null);
    };
    return { signal: controller.signal, end };
  }

  /** Frees the timer of the young ones. */
  close(): void {
    clearTimeout(this.#timer ?? null);
    this.#timer = undefined;
  }

  #ring(): void {
    this.#timer = undefined;
    const time = now();
    for (const running of this.#young) {
      const least = Math.max(this.#milliseconds - LATE_MILLISECONDS, 0);
      const wait = Math.min(Math.max(running.at - time, least), this.#milliseconds);
      running.timer = setTimeout(() => abort(running.controller), wait);
    }
    this.#young.clear();
  }
}
