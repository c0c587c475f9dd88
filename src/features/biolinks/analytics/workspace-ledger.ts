import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import { backgroundWork, inWorkspace } from "../../../platform/context/context.ts";
import { inTime } from "../../../platform/in-time.ts";
import { createLog } from "../../../platform/log.ts";
import { now } from "../../../platform/time.ts";
import { letOthersIn } from "../../../platform/turns.ts";
import { LedgerStore } from "./ledger.repository.ts";
import { Backlog } from "./ledger-backlog.ts";
import { packForInbox } from "./ledger-packets.ts";
import { answerQuestion } from "./ledger-question.ts";
import { recentMinutes } from "./ledger-recent.ts";
import { nextPurge, purgeOld } from "./ledger-retention.ts";
import { tellScannedHours } from "./ledger-scans.ts";
import type {
  Ledger,
  LedgerAnswer,
  LedgerPacket,
  LedgerQuestion,
  PackedLedgerPacket,
  RecentAnswer,
  RecentOf,
  SubjectKind,
} from "./ledger-shapes.ts";
import { LedgerShards } from "./ledger-shards.ts";
import { LedgerPlace, SPLIT_BOUNDS } from "./ledger-split.ts";
import type { TellScans } from "./scans.ports.ts";

/** Compacted as seldom as this: a row that is written costs as much for one hit as for many. */
const COMPACTED_AFTER_MILLISECONDS = 5 * 60 * 1000;
/** … but not with more waiting than that: the inbox has to fit in memory. */
const MAX_WAITING_CHARACTERS = 8_000_000;
/** A shard is handed what waited as long already. */
const HANDED_MILLISECONDS = 10_000;
/** An alarm compacts as long, then another goes on; who asks waits as long, then hears of less. */
const ALARM_MILLISECONDS = 10_000;
const ASKED_MILLISECONDS = 1000;
const BACKLOG_MILLISECONDS = 5000;
const FAULTED_MILLISECONDS = 60_000;
/** An alarm tries for so long what was set aside. */
const RECOUNT_MILLISECONDS = 1000;
/** Questions that wait for their turn, each for a second or two: as many as a full page of numbers asks. */
const MAX_QUESTIONS = 30;
/** Ledgers tell of an hour's scans within so long, not all of them at once. */
const SPREAD_MILLISECONDS = 15 * 60 * 1000;
const ERASED = "erased";
/** From a hit to its ledger: 5 s in the isolate, 2 in the queue, and some more. */
const LAG_MILLISECONDS = 10_000;

/**
 * Counts what happened in one workspace, exactly once. Packets wait in an inbox until they are added
 * up, in one transaction with the marks of those that were.
 */
export class WorkspaceLedger extends DurableObject<Env> implements Ledger {
  protected readonly tellScans: TellScans = async () => undefined;
  protected readonly splitBounds = SPLIT_BOUNDS;
  readonly #store = new LedgerStore(this.ctx.storage.sql);
  readonly #place = new LedgerPlace(this.ctx.storage, this.#store);
  readonly #shards = new LedgerShards(this.env, this.#place, this.#place.handed);
  readonly #backlog = new Backlog(this.ctx.storage, this.#store, (...of) =>
    this.#shards.keepOwn(...of),
  );
  #isErased = this.ctx.storage.kv.get<boolean>(ERASED) ?? false;
  #waiting = 0;
  #lastQuestion: Promise<void> = Promise.resolve();
  #questions = 0;

  async append(packets: (LedgerPacket | PackedLedgerPacket)[], since?: number): Promise<void> {
    await this.#keep(packForInbox(packets), false, since);
  }

  async appendNewer(packets: PackedLedgerPacket[], since?: number): Promise<void> {
    await this.#keep(packForInbox(packets), true, since);
  }

  async #keep(rows: string[], isNewer: boolean, since = now()): Promise<void> {
    const { id, storage } = this.ctx;
    const set = await storage.getAlarm();
    if (this.#isErased) return;
    // Nothing is awaited from here on, so the packets and their alarm are one write.
    this.#place.keepName(id.name);
    for (const row of rows) {
      this.#store.inbox.put(row, since, isNewer);
      this.#waiting += row.length;
    }
    const isHeavy = this.#waiting > MAX_WAITING_CHARACTERS;
    const after = this.#place.isShard ? HANDED_MILLISECONDS : COMPACTED_AFTER_MILLISECONDS;
    const by = now() + (isHeavy ? 0 : after);
    if (set === null || set > by) void storage.setAlarm(by);
  }

  async countNow(packet: LedgerPacket): Promise<void> {
    const { storage } = this.ctx;
    const set = await storage.getAlarm();
    if (this.#isErased) return;
    this.#backlog.countNow(packet);
    // For the purge.
    if (set === null) void storage.setAlarm(now() + COMPACTED_AFTER_MILLISECONDS);
  }

  /**
   * One question at a time, with a turn in between for packets and whatever else has come. @throws
   * when too many wait, in words that isOverload knows: nothing else of an error passes a call
   */
  answer(question: LedgerQuestion): Promise<LedgerAnswer> {
    if (this.#questions >= MAX_QUESTIONS)
      return Promise.reject(new Error("Durable Object is overloaded: too many questions wait."));
    this.#questions++;
    const answer = this.#lastQuestion
      .then(() => this.#answerNow(question))
      .finally(() => this.#questions--);
    this.#lastQuestion = answer.then(letOthersIn, letOthersIn);
    return answer;
  }

  answerNewer(question: LedgerQuestion): Promise<LedgerAnswer> {
    return this.answer(question);
  }

  async #answerNow(question: LedgerQuestion): Promise<LedgerAnswer> {
    await this.#compactIfItCan();
    const counted = answerQuestion(this.#store, question, now());
    return this.#shards.answer(question, { ...counted, freshUntil: this.#freshUntil() });
  }

  recentNewer(sinceMinute: number, of?: RecentOf): Promise<RecentAnswer> {
    return this.recent(sinceMinute, of);
  }

  async recent(sinceMinute: number, of?: RecentOf): Promise<RecentAnswer> {
    await this.#compactIfItCan();
    const minutes = recentMinutes(this.#store, sinceMinute, now(), of);
    return this.#shards.recent(sinceMinute, of, { minutes, freshUntil: this.#freshUntil() });
  }

  async totals(subject: SubjectKind, ids: string[]): Promise<Record<string, number>> {
    await this.#compactIfItCan();
    const people = this.#store.people(subject, ids);
    const own = Object.fromEntries(people.map(({ id, people: hits }) => [id, hits]));
    return this.#shards.totals(subject, ids, own);
  }

  /** What is counted already can be told of, also where nothing more can be: `freshUntil` says so. */
  async #compactIfItCan(): Promise<void> {
    try {
      await this.#compactFor(ASKED_MILLISECONDS);
    } catch (fault) {
      createLog().error("ledger_compaction_faulted", { fault });
    }
    // An alarm's handing may be under way, which takes longer.
    await inTime(this.#handOn(ASKED_MILLISECONDS), ASKED_MILLISECONDS);
  }

  /** Forgets all that it counted, and for good: the workspace is being deleted. What still comes is left out. */
  async erase(): Promise<void> {
    const { storage } = this.ctx;
    await this.#shards.erase();
    this.#isErased = true;
    await storage.deleteAll();
    storage.kv.put(ERASED, true);
    // Its tables, empty: whoever asks while the workspace is there is told of nothing.
    new LedgerStore(storage.sql);
    if (this.#place.split) this.#place.handed.begin();
  }

  async #eraseAgain(): Promise<void> {
    try {
      await this.erase();
    } catch (fault) {
      createLog().error("ledger_purge_faulted", { fault });
      await this.ctx.storage.setAlarm(now() + FAULTED_MILLISECONDS);
    }
  }

  /** When it is to go on; undefined when nothing is left. */
  async #handOn(milliseconds: number): Promise<number | undefined> {
    try {
      await this.#shards.handOn(milliseconds);
      return this.#shards.waitingSince() === undefined ? undefined : now();
    } catch (fault) {
      createLog().error("ledger_parts_waiting", { fault });
      return now() + FAULTED_MILLISECONDS;
    }
  }

  /** Never throws: an alarm that does is tried again a few times only, and then gone. */
  override async alarm(): Promise<void> {
    // Code of before, after a rollback, has counted.
    if (this.#isErased) return this.#eraseAgain();
    const { storage } = this.ctx;
    const due: number[] = [];
    try {
      const isLeft = await this.#compactFor(ALARM_MILLISECONDS);
      if (isLeft) due.push(now());
      this.#place.splitIfBehind(isLeft, this.splitBounds.behindMilliseconds, now());
      const recounts = await this.#backlog.recountFor(RECOUNT_MILLISECONDS);
      if (recounts !== undefined) due.push(recounts);
    } catch (fault) {
      this.#place.splitIfBehind(false, this.splitBounds.behindMilliseconds, now());
      // What waits is counted later: when a full ledger has room again, or the code is mended.
      createLog().error("ledger_compaction_faulted", { fault });
      due.push(now() + FAULTED_MILLISECONDS);
    }
    const handsOn = await this.#handOn(ALARM_MILLISECONDS);
    if (handsOn !== undefined) due.push(handsOn);
    try {
      const isLeft = purgeOld(this.#store, now());
      const next = nextPurge(this.#store);
      if (isLeft) due.push(now() + BACKLOG_MILLISECONDS);
      else if (next !== undefined) due.push(Math.max(next, now() + BACKLOG_MILLISECONDS));
    } catch (fault) {
      createLog().error("ledger_purge_faulted", { fault });
      due.push(now() + FAULTED_MILLISECONDS);
    }
    try {
      const next = await this.#tellScans();
      if (next !== undefined) due.push(next);
    } catch (fault) {
      createLog().error("scans_untold", { fault });
      due.push(now() + FAULTED_MILLISECONDS);
    }
    const set = await storage.getAlarm();
    // Packets may have come meanwhile, and theirs be earlier, or be missing as it was not yet over.
    const waiting = this.#store.inbox.waitingSince();
    if (waiting !== undefined) due.push(Math.max(waiting, now()) + COMPACTED_AFTER_MILLISECONDS);
    const next = Math.min(...due);
    if (due.length > 0 && (set === null || set > next)) await storage.setAlarm(next);
  }

  async #tellScans(): Promise<number | undefined> {
    const { workspace, isShard: isOfShard } = this.#place;
    if (workspace === undefined) return undefined;
    const ctx = inWorkspace(backgroundWork(this.env, this.ctx, createLog()), workspace);
    const delay = Number.parseInt(this.ctx.id.toString().slice(0, 8), 16) % SPREAD_MILLISECONDS;
    return tellScannedHours(this.#store, delay, (hour) =>
      this.tellScans(ctx, { ...hour, isOfShard }),
    );
  }

  /** What came before is counted: all but what waits yet, and what is on its way. */
  #freshUntil(): number {
    const waiting = [this.#store.inbox.waitingSince(), this.#shards.waitingSince()];
    return Math.min(...waiting.map((since) => since ?? now())) - LAG_MILLISECONDS;
  }

  /** Whether any is left. */
  async #compactFor(milliseconds: number): Promise<boolean> {
    this.#place.splitIfAbove(this.splitBounds.bytes);
    const isLeft = await this.#backlog.compactFor(milliseconds);
    if (this.#store.inbox.waitingSince() === undefined) this.#waiting = 0;
    return isLeft;
  }
}
