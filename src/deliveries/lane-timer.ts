/** The one timer of a lane's run. */
export class LaneTimer {
  readonly #onRing: () => void;
  #armed: { at: number; id: ReturnType<typeof setTimeout> } | undefined;
  #rangFor = 0;

  constructor(onRing: () => void) {
    this.#onRing = onRing;
  }

  /** What was to be done by then is due, whatever the clock says. */
  get rangFor(): number {
    return this.#rangFor;
  }

  /**
   * Rings at a time for what is due then. A timer that rings earlier is kept: a turn for nothing costs
   * less than a timer each turn. Not one whose time is over by the clock: that was set, and it may ring late.
   */
  ringBy(at: number, due: number, time: number): void {
    if (!Number.isFinite(at)) return;
    if (this.#armed && this.#armed.at > time && this.#armed.at <= at) return;
    this.stop();
    const ring = () => {
      this.#armed = undefined;
      this.#rangFor = due;
      this.#onRing();
    };
    this.#armed = { at, id: setTimeout(ring, at - time) };
  }

  /** What it rang for is being done. */
  heard(): void {
    this.#rangFor = 0;
  }

  stop(): void {
    clearTimeout(this.#armed?.id ?? null);
    this.#armed = undefined;
  }
}
