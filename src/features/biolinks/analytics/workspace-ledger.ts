import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import { createLog } from "../../../platform/log.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { letOthersIn } from "../../../platform/turns.ts";
import { LedgerStore } from "./ledger.repository.ts";
import { compact } from "./ledger-compaction.ts";
import { SLOTS_A_DAY } from "./ledger-counts.ts";
import { packForInbox, readInbox, withoutVisitors } from "./ledger-packets.ts";
import { answerQuestion } from "./ledger-question.ts";
import { recentMinutes } from "./ledger-recent.ts";
import { nextPurge, purgeOld } from "./ledger-retention.ts";
import type {
  Ledger,
  LedgerAnswer,
  LedgerPacket,
  LedgerQuestion,
  RecentAnswer,
  SubjectKind,
} from "./ledger-shapes.ts";
import { LedgerTerms } from "./ledger-terms.ts";

/** Compacted as seldom as this: a row that is written costs as much for one hit as for many. */
const COMPACTED_AFTER_MILLISECONDS = 5 * 60 * 1000;
/** … but not with more waiting than that: the inbox has to fit in memory. */
const MAX_WAITING_CHARACTERS = 8_000_000;
/** A batch: inbox rows, and different subjects' days in them, to which its last row may add. */
const ROWS_AT_ONCE = 10;
const SUBJECT_DAYS_AT_ONCE = 500;
/** An alarm compacts as long, then another goes on; who asks waits as long, then hears of less. */
const ALARM_MILLISECONDS = 10_000;
const ASKED_MILLISECONDS = 1000;
const BACKLOG_MILLISECONDS = 5000;
const FAULTED_MILLISECONDS = 60_000;
/** From a hit to its ledger: 5 s in the isolate, 2 in the queue, and some more. */
const LAG_MILLISECONDS = 10_000;

/**
 * Counts what happened in one workspace, exactly once. Packets wait in an inbox until they are added
 * up, in one transaction with the marks of those that were.
 */
export class WorkspaceLedger extends DurableObject<Env> implements Ledger {
  readonly #store = new LedgerStore(this.ctx.storage.sql);
  #terms = new LedgerTerms(this.#store);
  #waiting = 0;
  #lastQuestion: Promise<void> = Promise.resolve();

  async append(packets: LedgerPacket[]): Promise<void> {
    const rows = packForInbox(packets);
    const { storage } = this.ctx;
    const set = await storage.getAlarm();
    // Nothing is awaited from here on, so the packets and their alarm are one write.
    for (const row of rows) {
      this.#store.putPackets(row, now());
      this.#waiting += row.length;
    }
    const isHeavy = this.#waiting > MAX_WAITING_CHARACTERS;
    const by = now() + (isHeavy ? 0 : COMPACTED_AFTER_MILLISECONDS);
    if (set === null || set > by) void storage.setAlarm(by);
  }

  /** One question at a time, with a turn in between for packets and whatever else has come. */
  answer(question: LedgerQuestion): Promise<LedgerAnswer> {
    const answer = this.#lastQuestion.then(() => this.#answerNow(question));
    this.#lastQuestion = answer.then(letOthersIn, letOthersIn);
    return answer;
  }

  async #answerNow(question: LedgerQuestion): Promise<LedgerAnswer> {
    await this.#compactIfItCan();
    const time = now();
    return { rows: answerQuestion(this.#store, question, time), freshUntil: this.#freshUntil() };
  }

  async recent(
    sinceMinute: number,
    of?: { subject: SubjectKind; ids: string[] },
  ): Promise<RecentAnswer> {
    await this.#compactIfItCan();
    return {
      minutes: recentMinutes(this.#store, sinceMinute, now(), of),
      freshUntil: this.#freshUntil(),
    };
  }

  async totals(subject: SubjectKind, ids: string[]): Promise<Record<string, number>> {
    await this.#compactIfItCan();
    const people = this.#store.people(subject, ids);
    return Object.fromEntries(people.map(({ id, people: hits }) => [id, hits]));
  }

  /** What is counted already can be told of, also where nothing more can be: `freshUntil` says so. */
  async #compactIfItCan(): Promise<void> {
    try {
      await this.#compactFor(ASKED_MILLISECONDS);
    } catch (fault) {
      createLog().error("ledger_compaction_faulted", { fault });
    }
  }

  /** Never throws: an alarm that does is tried again a few times only, and then gone. */
  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const due: number[] = [];
    try {
      if (await this.#compactFor(ALARM_MILLISECONDS)) due.push(now());
    } catch (fault) {
      // What waits is counted later: when a full ledger has room again, or the code is mended.
      createLog().error("ledger_compaction_faulted", { fault });
      due.push(now() + FAULTED_MILLISECONDS);
    }
    try {
      const isLeft = purgeOld(this.#store, now());
      const next = nextPurge(this.#store);
      if (isLeft) due.push(now() + BACKLOG_MILLISECONDS);
      else if (next !== undefined) due.push(Math.max(next, now() + BACKLOG_MILLISECONDS));
    } catch (fault) {
      createLog().error("ledger_purge_faulted", { fault });
      due.push(now() + FAULTED_MILLISECONDS);
    }
    const set = await storage.getAlarm();
    // Packets may have come meanwhile, and theirs be earlier, or be missing as it was not yet over.
    const waiting = this.#store.waitingSince();
    if (waiting !== undefined) due.push(Math.max(waiting, now()) + COMPACTED_AFTER_MILLISECONDS);
    const next = Math.min(...due);
    if (due.length > 0 && (set === null || set > next)) await storage.setAlarm(next);
  }

  /** What came before is counted: all but what waits yet, and what is on its way. */
  #freshUntil(): number {
    return (this.#store.waitingSince() ?? now()) - LAG_MILLISECONDS;
  }

  /**
   * Compacts batch by batch, each done when the next begins: whatever ends it, less is left. Others
   * have their turn in between. Whether any is left.
   */
  async #compactFor(milliseconds: number): Promise<boolean> {
    const isTimeUp = shareOfTime(milliseconds);
    while (this.#compactBatch()) {
      await letOthersIn();
      if (isTimeUp()) return this.#store.waitingSince() !== undefined;
    }
    return false;
  }

  /** Whether there was anything to compact. */
  #compactBatch(): boolean {
    const packets: LedgerPacket[] = [];
    const days = new Set<string>();
    let upTo: number | undefined;
    for (const row of this.#store.inbox(ROWS_AT_ONCE)) {
      // What a batch takes is one body to read and write for each of these.
      if (days.size >= SUBJECT_DAYS_AT_ONCE) break;
      for (const packet of this.#read(row.packets)) {
        packets.push(packet);
        for (const { id, slot } of packet.hits) days.add(`${Math.floor(slot / SLOTS_A_DAY)} ${id}`);
      }
      upTo = row.id;
    }
    if (upTo === undefined) {
      this.#waiting = 0;
      return false;
    }
    this.#compact(packets, upTo);
    return true;
  }

  #compact(packets: LedgerPacket[], upTo: number): void {
    try {
      this.#transact(packets, () => this.#store.dropPackets(upTo));
    } catch (fault) {
      createLog().error("ledger_compaction_faulted", { packets: packets.length, fault });
      // One by one, so that one that cannot be counted holds up none of the others.
      for (const packet of packets) this.#compactAlone(packet);
      this.#store.dropPackets(upTo);
    }
  }

  #compactAlone(packet: LedgerPacket): void {
    try {
      this.#transact([packet]);
    } catch (fault) {
      // That is no packet's fault: it waits on until there is room.
      if (String(fault).includes("SQLITE_FULL")) throw fault;
      createLog().error("ledger_packet_faulted", { packet: packet.id, fault });
      this.#store.setAside(withoutVisitors(packet), now());
    }
  }

  #transact(packets: LedgerPacket[], also?: () => void): void {
    try {
      const { expired } = this.ctx.storage.transactionSync(() => {
        const done = compact(this.#store, this.#terms, packets, now());
        also?.();
        return done;
      });
      if (expired > 0) createLog().error("ledger_packets_expired", { packets: expired });
    } catch (fault) {
      // It may hold numbers of texts that are not written now.
      this.#terms = new LedgerTerms(this.#store);
      throw fault;
    }
  }

  #read(row: string): LedgerPacket[] {
    try {
      return readInbox(row);
    } catch (fault) {
      createLog().error("ledger_packet_faulted", { fault });
      this.#store.setAside(`${row.length} characters that cannot be read`, now());
      return [];
    }
  }
}
