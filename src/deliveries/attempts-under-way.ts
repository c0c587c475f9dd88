import { now } from "../platform/time.ts";
import {
  type BegunAttempt,
  cutOff,
  type DueDelivery,
  type FinishedAttempt,
  MOST_BROUGHT,
  toBring,
} from "./delivery-attempt.ts";
import type { LaneJournal } from "./lane-journal.repository.ts";

/** What ended quickly is brought to the database after so long at most, or when it is so much. */
const BROUGHT_MILLISECONDS = 500;
/** What took long: a lane of a slow receiver takes nothing new before that is brought. */
const SLOW_BROUGHT_MILLISECONDS = 250;
/** So long after it began the database has an attempt, run or ended, but for the exchange itself. */
const SEEN_MILLISECONDS = 900;
/** An attempt that takes so long at most is shown before it has ended. */
export const SHOWN_MILLISECONDS = 700;
/**
 * Each lane has its own part of both times, from here on: those that were woken together, and whose
 * receivers hang alike, would come to the database together again and again.
 */
const LEAST_PART = 0.5;
/** While others are under way, an attempt that ended waits so long for them: see `gather`. */
const GATHERED_MILLISECONDS = 2;

interface Running extends BegunAttempt {
  isShown: boolean;
}

/** What an exchange brings to the database. */
export interface Brought {
  begun: BegunAttempt[];
  finished: FinishedAttempt[];
  /** Deliveries that the lane has by then, brought or not. */
  held: string[];
}

/** A lane's attempts from their beginning until the database has them, each in the journal too. */
export class AttemptsUnderWay {
  readonly #journal: LaneJournal;
  readonly #running = new Map<string, Running>();
  /** Those that ended and are not in the journal yet. */
  #ended: FinishedAttempt[] = [];
  #finished: FinishedAttempt[] = [];
  /** In the journal as begun (at the time of that write), but not begun yet. */
  readonly #ahead = new Set<string>();
  /** Resolved when none runs any more, or nobody waits for that. */
  #idle = Promise.withResolvers<void>();
  readonly #part = LEAST_PART + Math.random() * (1 - LEAST_PART);

  constructor(journal: LaneJournal) {
    this.#journal = journal;
  }

  /** How many are running. */
  get running(): number {
    return this.#running.size;
  }

  /** Whether there is nothing but what the database has. */
  get isAllBrought(): boolean {
    return this.#running.size + this.#ended.length + this.#finished.length === 0;
  }

  /** Whether one runs for so long that it is shown. */
  get hasShown(): boolean {
    return [...this.#running.values()].some(({ isShown }) => isShown);
  }

  get hasAhead(): boolean {
    return this.#ahead.size > 0;
  }

  /** Whether something is over that the database has not. */
  get hasFinished(): boolean {
    return this.#finished.length + this.#ended.length > 0;
  }

  /** What a run that died had begun is interrupted, and due again; what it had not brought is. */
  takeOver(): void {
    const { begun, finished } = this.#journal.left();
    const time = now();
    const interrupted = begun.map((attempt) => cutOff(attempt, time));
    this.#finished = [...finished, ...interrupted];
  }

  /**
   * Notes that an attempt at each begins now, or at none. One that is not in the journal yet is
   * written with what ended, and with those that come `next`. As long as some of these have not
   * begun, ends are only kept here: they are written with the next commit, or before they are brought.
   */
  begin(deliveries: DueDelivery[], next: DueDelivery[] = []): BegunAttempt[] {
    const begun = deliveries.map(toBegun);
    if (begun.some(({ id }) => !this.#ahead.has(id))) {
      const ahead = next.map(toBegun);
      this.#write([...begun, ...ahead].filter(({ id }) => !this.#ahead.has(id)));
      for (const { id } of ahead) this.#ahead.add(id);
    } else if (this.#ahead.size === 0 || this.#hasRetryEnded) this.#write([]);
    for (const one of begun) {
      this.#ahead.delete(one.id);
      this.#running.set(one.id, { ...one, isShown: false });
    }
    return begun;
  }

  /** Were one's end lost with its lane, the long pause behind it would be, too; or its delivery. */
  get #hasRetryEnded(): boolean {
    return this.#ended.some(({ number }) => number > 1);
  }

  #write(begun: BegunAttempt[]): void {
    this.#journal.write(this.#ended, begun);
    this.#finished.push(...this.#ended);
    this.#ended = [];
  }

  /** Takes what was written ahead out of the journal: it is read anew before it begins. */
  forgoAhead(): void {
    this.#journal.forget([...this.#ahead].map((id) => ({ id })));
    this.#ahead.clear();
  }

  /** An attempt is over; undefined: nobody knows how, and the journal goes on saying that it runs. */
  end(id: string, finished: FinishedAttempt | undefined): void {
    if (finished) this.#ended.push(finished);
    this.#running.delete(id);
    if (this.#running.size === 0) this.#idle.resolve();
  }

  /** An attempt that was to begin was not made: of one that the next run found, it would make two. */
  forgo(id: string): void {
    this.#journal.forget([{ id }]);
  }

  /**
   * Writing to the journal costs a transaction a turn, half of what a delivery costs the lane: those
   * that end within a few milliseconds are written together, with those that begin in their place.
   * A quick receiver's have all ended before that. With some ahead nothing is to be written yet.
   */
  async gather(): Promise<void> {
    if (this.#ended.length === 0 || this.#running.size === 0 || this.#ahead.size > 0) return;
    this.#idle = Promise.withResolvers();
    const timer = setTimeout(this.#idle.resolve, GATHERED_MILLISECONDS);
    await this.#idle.promise;
    // One that fired for nothing would have the lane begin a turn.
    clearTimeout(timer);
  }

  /** Those of some deliveries that have neither begun nor ended here. */
  othersOf<T extends { id: string }>(deliveries: T[]): T[] {
    const ended = new Set([...this.#finished, ...this.#ended].map(({ id }) => id));
    return deliveries.filter(({ id }) => !this.#running.has(id) && !ended.has(id));
  }

  /** Whether so much has ended that it is brought whatever the time. */
  get isMuch(): boolean {
    return this.#finished.length + this.#ended.length >= MOST_BROUGHT;
  }

  /** When something is to be brought to the database, at the latest. */
  nextToBring(): number | undefined {
    const times = this.#unshown().map(({ startedAt }) => startedAt + this.#shownAfter);
    const first = this.#finished[0] ?? this.#ended[0];
    if (first) times.push(first.endedAt + this.#keptFor(first));
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  toBring(time: number): Brought {
    // Else the journal would go on saying of what the database has that it runs.
    this.#write([]);
    const finished = toBring(this.#finished);
    const begun = this.#unshown().filter((one) => time - one.startedAt >= this.#shownAfter);
    const left = this.#finished.slice(finished.length);
    return { begun, finished, held: [...this.#running.keys(), ...left.map(({ id }) => id)] };
  }

  /** The database has what was brought. */
  brought({ begun, finished }: Brought): void {
    this.#journal.forget(finished);
    this.#finished.splice(0, finished.length);
    for (const { id } of begun) {
      const running = this.#running.get(id);
      if (running) running.isShown = true;
    }
  }

  /** One that ended before it was to be shown began so long ago at the most: later ones wait no longer. */
  #keptFor({ startedAt, endedAt }: FinishedAttempt): number {
    const isSlow = endedAt - startedAt >= this.#shownAfter;
    if (isSlow) return Math.ceil(SLOW_BROUGHT_MILLISECONDS * this.#part);
    const most = Math.ceil(BROUGHT_MILLISECONDS * this.#part);
    return Math.min(most, SEEN_MILLISECONDS - this.#shownAfter);
  }

  get #shownAfter(): number {
    return Math.ceil(SHOWN_MILLISECONDS * this.#part);
  }

  #unshown(): Running[] {
    return [...this.#running.values()].filter(({ isShown }) => !isShown);
  }
}

function toBegun({ data: _, occurredAt: __, ...what }: DueDelivery): BegunAttempt {
  return { ...what, startedAt: now() };
}
