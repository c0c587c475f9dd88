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

interface Running {
  controller: AbortController;
  at: number;
}

/**
 * Cut-offs after one and the same time, in one invocation, with one timer for all of them: a timer
 * for each took a twentieth of the time of a quick receiver's attempt.
 */
export class CutOffs {
  readonly #milliseconds: number;
  /** In the order in which they began. */
  readonly #running = new Set<Running>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  begin(): CutOff {
    const controller = new AbortController();
    const running = { controller, at: now() + this.#milliseconds };
    this.#running.add(running);
    this.#arm();
    return { signal: controller.signal, end: () => void this.#running.delete(running) };
  }

  /** Frees the timer. */
  close(): void {
    clearTimeout(this.#timer ?? null);
    this.#timer = undefined;
  }

  /** For the first of them: it may have ended by then, and another be the first. */
  #arm(): void {
    const [first] = this.#running;
    if (!first || this.#timer !== undefined) return;
    // However the clock was set meanwhile.
    const wait = Math.min(Math.max(first.at - now(), 0), this.#milliseconds);
    this.#timer = setTimeout(() => this.#ring(first), wait);
  }

  #ring(first: Running): void {
    this.#timer = undefined;
    const time = now();
    for (const running of this.#running) {
      if (running !== first && running.at > time) break;
      this.#running.delete(running);
      abort(running.controller);
    }
    this.#arm();
  }
}
