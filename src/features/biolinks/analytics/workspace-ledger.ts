import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import { createLog } from "../../../platform/log.ts";
import { now } from "../../../platform/time.ts";
import { LedgerStore } from "./ledger.repository.ts";
import { compact } from "./ledger-compaction.ts";
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
const ROWS_AT_ONCE = 10;
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

  async append(packets: LedgerPacket[]): Promise<void> {
    const rows = packForInbox(packets);
    const { storage } = this.ctx;
    const set = await storage.getAlarm();
    // Nothing is awaited from here on, so the packets and their alarm are one write.
    for (const row of rows) {
      this.#store.putPackets(row);
      this.#waiting += row.length;
    }
    const isHeavy = this.#waiting > MAX_WAITING_CHARACTERS;
    const by = now() + (isHeavy ? 0 : COMPACTED_AFTER_MILLISECONDS);
    if (set === null || set > by) void storage.setAlarm(by);
  }

  async answer(question: LedgerQuestion): Promise<LedgerAnswer> {
    this.#compactAll();
    const time = now();
    return {
      rows: answerQuestion(this.#store, question, time),
      freshUntil: time - LAG_MILLISECONDS,
    };
  }

  async recent(
    sinceMinute: number,
    of?: { subject: SubjectKind; ids: string[] },
  ): Promise<RecentAnswer> {
    this.#compactAll();
    const time = now();
    return {
      minutes: recentMinutes(this.#store, sinceMinute, time, of),
      freshUntil: time - LAG_MILLISECONDS,
    };
  }

  async totals(subject: SubjectKind, ids: string[]): Promise<Record<string, number>> {
    this.#compactAll();
    const people = this.#store.people(subject, ids);
    return Object.fromEntries(people.map(({ id, people: hits }) => [id, hits]));
  }

  /** Never throws: an alarm that does is tried again a few times only, and then gone. */
  override async alarm(): Promise<void> {
    const time = now();
    let next: number | undefined;
    try {
      this.#compactAll();
    } catch (fault) {
      // What waits is counted later: when a full ledger has room again, or the code is mended.
      createLog().error("ledger_compaction_faulted", { fault });
      next = time + FAULTED_MILLISECONDS;
    }
    try {
      const isLeft = purgeOld(this.#store, time);
      next ??= isLeft ? time + BACKLOG_MILLISECONDS : nextPurge(this.#store);
    } catch (fault) {
      createLog().error("ledger_purge_faulted", { fault });
      next ??= time + FAULTED_MILLISECONDS;
    }
    if (next !== undefined) {
      await this.ctx.storage.setAlarm(Math.max(next, time + BACKLOG_MILLISECONDS));
    }
  }

  #compactAll(): void {
    for (;;) {
      const rows = this.#store.inbox(ROWS_AT_ONCE);
      const last = rows.at(-1);
      if (!last) break;
      this.#compact(
        rows.flatMap(({ packets }) => this.#read(packets)),
        last.id,
      );
    }
    this.#waiting = 0;
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
