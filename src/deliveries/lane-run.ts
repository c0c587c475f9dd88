import { retryTransient } from "../platform/db/retry.ts";
import { now } from "../platform/time.ts";
import { NotAttempted } from "./attempt.ts";
import { AttemptsUnderWay, SHOWN_MILLISECONDS } from "./attempts-under-way.ts";
import type { Attempted, BegunAttempt, DueDelivery, FinishedAttempt } from "./delivery-attempt.ts";
import { type Exchanged, exchange } from "./lane.repository.ts";
import type { LaneJournal } from "./lane-journal.repository.ts";
import { BELIEVED_MILLISECONDS, LaneReading } from "./lane-reading.ts";
import { LaneTimer } from "./lane-timer.ts";
import { FIRST_WIDTH, nextWidth, writtenAhead } from "./lane-width.ts";
import type { Lane, Target } from "./targets.ts";

/**
 * A run ends after this and goes on in a new one: well within an alarm's time, and within the ten
 * thousand requests that an invocation may make, of which a thousand to D1.
 */
const RUN = { milliseconds: 5 * 60_000, requests: 5000, calls: 650 };
/** Calls of the database: an exchange's, with what else there may be to settle. */
const EXCHANGE_CALLS = 3;
/** Requests for a receiver's addresses, of two kinds. */
const ADDRESS_REQUESTS = 2;
/** Longer than an attempt can take. */
const LEASE_MILLISECONDS = 60_000;

/** What a run leaves to the lane. */
export interface LaneWork {
  /** Makes an attempt, whatever becomes of it. @throws NotAttempted */
  attempt(delivery: DueDelivery, target: Target | undefined, onAsk: () => void): Promise<Attempted>;
  /** Takes care of all but attempts; whether there may be more to attempt after it. */
  settle(read: Exchanged): Promise<boolean>;
  /** Ends what waits for a target that is gone; whether there is more. */
  endForNobody(): Promise<boolean>;
}

/**
 * One run of a lane: it sends all that is due. It reads that in bulk, makes a few attempts at a
 * time, and brings what ended to the database in bulk, with the next reading. Each attempt is in the
 * journal before it begins, how it ended with the next commit: the next run finishes one that dies.
 */
export class LaneRun {
  readonly #lane: Lane;
  readonly #underWay: AttemptsUnderWay;
  readonly #work: LaneWork;
  readonly #endsAt = now() + RUN.milliseconds;
  readonly #reading = new LaneReading();
  #width = FIRST_WIDTH;
  /** How many more are written into the journal with those that begin. */
  #ahead = 0;
  /** The receiver's last answer took so long that what is read ahead of it is not believed any more. */
  #isSlow = false;
  #mayHaveMore = true;
  #isForNobody = false;
  #nextDue: number | undefined;
  #isExchanging = false;
  readonly #timer = new LaneTimer(() => this.#news.resolve());
  #fault: unknown;
  #news = Promise.withResolvers<void>();
  #isOver = false;
  attempts = 0;
  /** To receivers, and for their addresses. */
  #requests = 0;
  /** Of the database by exchanges; what else asks it, some 200 at most, is not counted. */
  #calls = 0;

  constructor(lane: Lane, journal: LaneJournal, work: LaneWork) {
    this.#lane = lane;
    this.#underWay = new AttemptsUnderWay(journal);
    this.#work = work;
  }

  /** Its target is gone. */
  get isForNobody(): boolean {
    return this.#isForNobody;
  }

  /** Has the run look at what is due. Whether it will: one that is over does not. */
  wake(): boolean {
    this.#mayHaveMore = true;
    this.#news.resolve();
    return !this.#isOver;
  }

  /** Forgets what was read of deliveries and of their target. */
  forget(): void {
    this.#reading.forget();
    this.#forgoAhead();
    this.wake();
  }

  /** Sends all that is due; answers when the next delivery is. @throws what the database did */
  async run(): Promise<number | undefined> {
    try {
      this.#underWay.takeOver();
      for (;;) {
        this.#news = Promise.withResolvers();
        const time = now();
        try {
          this.#dropOld();
          this.#goOn();
        } catch (fault) {
          this.#fault ??= fault;
        }
        if (!this.#isExchanging && this.#isToExchange(time)) void this.#exchange();
        if (!this.#isExchanging && this.#underWay.running === 0 && this.#isDone()) break;
        await this.#newsOrTime(time);
        await this.#underWay.gather();
      }
    } finally {
      // Nothing is awaited in between: a wake-up finds the run either going on or over.
      this.#isOver = true;
      this.#timer.stop();
      this.#reading.close();
    }
    if (this.#fault) throw this.#fault;
    if (this.#isForNobody && (await this.#endForNobody())) return now();
    if (this.#mayHaveMore) return now();
    // What was due later has ended, too.
    return this.#isForNobody ? undefined : this.#nextDue;
  }

  /** A run that has asked for much leaves it to the next one. */
  async #endForNobody(): Promise<boolean> {
    return this.#calls > RUN.calls / 2 || (await this.#work.endForNobody());
  }

  #isTimeUp(): boolean {
    const isSpent = this.#requests >= RUN.requests || this.#calls >= RUN.calls;
    return isSpent || now() >= this.#endsAt || this.#fault !== undefined || this.#isForNobody;
  }

  /** Drops what was read too long ago, and all when the time is up. */
  #dropOld(): void {
    const isOld = this.#reading.isOld();
    if (!isOld && !this.#isTimeUp()) return;
    if (this.#reading.count > 0) this.#mayHaveMore = true;
    this.#reading.drop({ isOld });
    this.#forgoAhead();
  }

  /**
   * Writes down what ended and what begins in its place, and begins that. Ahead are first attempts
   * only: of a later one that a crash ends unsent, a try is used up, and the long pause before it.
   */
  #goOn(): void {
    const deliveries = this.#isTimeUp() ? [] : this.#reading.begin(this.#room);
    const next = this.#reading.firstAttempts(this.#ahead);
    for (const [at, begun] of this.#underWay.begin(deliveries, next).entries()) {
      const delivery = deliveries[at];
      if (!delivery) continue;
      this.attempts++;
      this.#requests++;
      void this.#attempt(begun, delivery);
    }
  }

  async #attempt(begun: BegunAttempt, delivery: DueDelivery): Promise<void> {
    let finished: FinishedAttempt | undefined;
    try {
      const attempted = await this.#work.attempt(delivery, this.#reading.target, () => {
        this.#requests += ADDRESS_REQUESTS;
      });
      finished = { ...begun, ...attempted, endedAt: now() };
      const { durationMs } = attempted.outcome;
      this.#width = nextWidth(this.#width, durationMs);
      this.#ahead = writtenAhead(this.#width, durationMs);
      this.#isSlow = durationMs > BELIEVED_MILLISECONDS;
      // Nothing more goes to a receiver that does not want it.
      if (attempted.consequence.stop) this.forget();
    } catch (fault) {
      this.#fault ??= fault;
      if (fault instanceof NotAttempted) this.#inJournal(() => this.#underWay.forgo(delivery.id));
    }
    this.#underWay.end(delivery.id, finished);
    this.#news.resolve();
  }

  /** How many more attempts may be made at a time. */
  get #room(): number {
    return Math.max(this.#width - this.#underWay.running, 0);
  }

  /**
   * Whether more is to be read. Nothing is read ahead of a receiver that is slow, or hangs: whoever
   * wakes its lane does so for nothing until an attempt has ended.
   */
  #isHungry(time: number): boolean {
    if ((this.#nextDue ?? Number.POSITIVE_INFINITY) <= time) {
      this.#mayHaveMore = true;
      this.#nextDue = undefined;
    }
    const isBusy = this.#isSlow || this.#underWay.hasShown;
    const enough = isBusy ? this.#room : this.#width;
    return this.#mayHaveMore && this.#reading.count < enough && !this.#isTimeUp();
  }

  #isToExchange(time: number): boolean {
    if (this.#fault) return false;
    const next = this.#underWay.nextToBring();
    const isTime = next !== undefined && next <= Math.max(time, this.#timer.rangFor);
    if (this.#underWay.isMuch || isTime) return true;
    // The next run waits for this one's end.
    const isEnding = this.#isTimeUp() && this.#underWay.running === 0;
    if (isEnding && this.#underWay.hasFinished) return true;
    // What a slow receiver's attempt came to is brought with the next reading.
    return this.#isHungry(time) && !(this.#isSlow && this.#underWay.hasFinished);
  }

  #isDone(): boolean {
    if (this.#fault) return true;
    const isIdle = this.#underWay.isAllBrought && this.#reading.count === 0;
    return isIdle && (!this.#mayHaveMore || this.#isTimeUp());
  }

  async #newsOrTime(time: number): Promise<void> {
    // What is to be done by now waits for room, or for the exchange: their end is news.
    const next = this.#underWay.nextToBring();
    // A clock that was set back makes nothing wait longer.
    const latest = next && Math.min(next, time + SHOWN_MILLISECONDS);
    // What is ahead of a receiver that hangs now does not stay in the journal until it answers.
    const oldAt = this.#underWay.hasAhead ? this.#reading.believedUntil : undefined;
    const times = [latest, oldAt, this.#nextDue, this.#endsAt].map((when) =>
      when === undefined || when <= time ? Number.POSITIVE_INFINITY : when,
    );
    const at = Math.min(...times);
    this.#timer.ringBy(at, at === latest ? (next ?? at) : at, time);
    await this.#news.promise;
  }

  /** Brings what there is to the database, and reads on if there is room for more. */
  async #exchange(): Promise<void> {
    this.#isExchanging = true;
    this.#timer.heard();
    this.#calls += EXCHANGE_CALLS;
    const time = now();
    const most = this.#isSlow ? Math.max(this.#room, 1) : this.#reading.size;
    const wanted = this.#isHungry(time) ? most : 0;
    if (wanted > 0) this.#mayHaveMore = false;
    const { version } = this.#reading;
    try {
      const brought = this.#underWay.toBring(time);
      const asked = { ...brought, wanted, leaseUntil: time + LEASE_MILLISECONDS };
      const read = await retryTransient(() => exchange(this.#lane, asked, time));
      this.#underWay.brought(brought);
      this.#nextDue = read.nextDue;
      // What is due again by now was written by this very exchange, or is not looked for in it.
      const dueAt = brought.finished.map(
        ({ consequence }) => consequence.nextAttemptAt ?? now() + 1,
      );
      if (dueAt.some((at) => at <= now())) this.#mayHaveMore = true;
      if (wanted > 0) this.#take(read, version);
      this.#news.resolve();
      if (await this.#work.settle(read)) this.#mayHaveMore = true;
    } catch (fault) {
      this.#fault ??= fault;
    }
    this.#isExchanging = false;
    this.#news.resolve();
  }

  #take(read: Exchanged, version: number): void {
    if (read.isMore) this.#mayHaveMore = true;
    // Some of them may have begun, and even ended, in the meantime.
    const due = this.#underWay.othersOf(read.due);
    if (!this.#reading.take(read, due, version)) {
      this.#mayHaveMore = true;
      return;
    }
    this.#isForNobody = read.target === undefined;
    this.#forgoAhead();
  }

  #forgoAhead(): void {
    this.#inJournal(() => this.#underWay.forgoAhead());
  }

  /** A journal that fails ends the run. */
  #inJournal(write: () => void): void {
    try {
      write();
    } catch (fault) {
      this.#fault ??= fault;
    }
  }
}
