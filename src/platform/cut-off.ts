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
  const timer = setTimeout(() => {
    controller.abort(new DOMException("It took too long.", "TimeoutError"));
  }, milliseconds);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
