import { createLog } from "../../../platform/log.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { now } from "../../../platform/time.ts";
import { letOthersIn } from "../../../platform/turns.ts";
import { readFormerInbox } from "./former-inbox.ts";
import type { LedgerStore } from "./ledger.repository.ts";
import { compact, type HeldNumbers, type KeepOwn } from "./ledger-compaction.ts";
import { SLOTS_A_DAY } from "./ledger-counts.ts";
import { packetsIn, storable } from "./ledger-packets.ts";
import { DAY_MILLISECONDS } from "./ledger-retention.ts";
import type { LedgerPacket } from "./ledger-shapes.ts";
import { SubjectNumbers } from "./ledger-subjects.ts";
import { LedgerTerms } from "./ledger-terms.ts";
import { packed, unpack } from "./read-packet.ts";

/** A batch: inbox rows, and different subjects' days in them, to which its last row may add. */
const ROWS_AT_ONCE = 20;
const SUBJECT_DAYS_AT_ONCE = 500;
/** A rest is as long as the batch before it, but no longer than that: the clock may have been set meanwhile. */
const MOST_REST_MILLISECONDS = 500;

const RECOUNT = "recount";

/** Where the day's trial of what was set aside stands. */
interface Recount {
  since: number;
  upTo: number;
}

/** Rows of the inbox that are added up together. */
interface Batch {
  packets: LedgerPacket[];
  /** What is kept of packets that cannot be read. */
  unread: string[];
  upTo: number;
  /** When the oldest of them came. */
  since: number;
}

/** {@link KeepOwn}, with when the packets came. */
type KeepOwnSince = (since: number, ...of: Parameters<KeepOwn>) => LedgerPacket[];

function newHeld(store: LedgerStore): HeldNumbers {
  return { terms: new LedgerTerms(store), subjects: new SubjectNumbers(store) };
}

/** Adds up what waits in a ledger's inbox. */
export class Backlog {
  readonly #storage: DurableObjectStorage;
  readonly #store: LedgerStore;
  readonly #keepOwn: KeepOwnSince;
  #held: HeldNumbers | undefined;
  #step: Promise<void> | undefined;
  #restUntil = 0;

  /** `keepOwn`: takes out, in the same transaction, what others count. */
  constructor(storage: DurableObjectStorage, store: LedgerStore, keepOwn: KeepOwnSince) {
    this.#storage = storage;
    this.#store = store;
    this.#keepOwn = keepOwn;
  }

  /**
   * Compacts batch by batch, each done when the next begins: whatever ends it, less is left. Between two
   * the thread is others' for as long as the one took, half a second at most: those may be other
   * workspaces. Whether any is left.
   */
  async compactFor(milliseconds: number): Promise<boolean> {
    const isTimeUp = shareOfTime(milliseconds);
    while (this.#store.inbox.waitingSince() !== undefined) {
      // All who compact at the same time wait for the same batch.
      this.#step ??= this.#restAndCompact().finally(() => {
        this.#step = undefined;
      });
      await this.#step;
      if (isTimeUp()) return this.#store.inbox.waitingSince() !== undefined;
    }
    return false;
  }

  async #restAndCompact(): Promise<void> {
    const left = this.#restUntil - now();
    if (left > 0) await scheduler.wait(Math.min(left, MOST_REST_MILLISECONDS));
    const startedAt = now();
    try {
      this.#compact(this.#nextBatch());
    } finally {
      // The clock stands still until then.
      await letOthersIn();
      this.#restUntil = now() + (now() - startedAt);
    }
  }

  /** Counts a packet past all that waits, all of it here. @throws when it cannot be counted */
  countNow(packet: LedgerPacket): void {
    const { expired } = this.#transact([unpack(packed(packet))], (all) => all);
    if (expired > 0) throw new Error("So old that it cannot be told whether it was counted.");
  }

  /**
   * Tries what was set aside a day ago or earlier, each once a day: mended code counts it. When it is
   * to go on; undefined when nothing is set aside.
   */
  async recountFor(milliseconds: number): Promise<number | undefined> {
    const { inbox } = this.#store;
    if (inbox.firstSetAside() === undefined) return undefined;
    const { kv } = this.#storage;
    const held = kv.get<Recount>(RECOUNT);
    const isHeld = held !== undefined && now() < held.since + DAY_MILLISECONDS;
    let { since, upTo } = isHeld ? held : { since: now(), upTo: 0 };
    const isTimeUp = shareOfTime(milliseconds);
    for (;;) {
      const next = inbox.nextSetAside(upTo, since - DAY_MILLISECONDS);
      if (!next) return since + DAY_MILLISECONDS;
      upTo = next.id;
      kv.put(RECOUNT, { since, upTo } satisfies Recount);
      // In a turn of its own, so that this is written, and one that ends it is not tried at once again.
      await letOthersIn();
      this.#recount(next);
      if (isTimeUp()) return now();
    }
  }

  #nextBatch(): Batch {
    const packets: LedgerPacket[] = [];
    const unread: string[] = [];
    const days = new Set<string>();
    let upTo = 0;
    let since = Number.POSITIVE_INFINITY;
    for (const row of this.#store.inbox.rows(ROWS_AT_ONCE)) {
      upTo = row.id;
      since = Math.min(since, row.time);
      for (const packet of this.#read(row.packets, unread)) {
        packets.push(packet);
        for (const { id, slot } of packet.hits) days.add(`${Math.floor(slot / SLOTS_A_DAY)} ${id}`);
      }
      // What a batch takes is one body to read and write for each of these.
      if (days.size >= SUBJECT_DAYS_AT_ONCE) break;
    }
    return { packets, unread, upTo, since };
  }

  /** The packets of a row, those that can be read. */
  #read(row: string, unread: string[]): LedgerPacket[] {
    const readings = this.#store.inbox.isFormer
      ? [{ length: row.length, read: () => readFormerInbox(row) }]
      : packetsIn(row).map((packet) => ({
          length: packet.packet.length,
          read: () => [unpack(packet)],
        }));
    return readings.flatMap(({ length, read }) => {
      try {
        return read();
      } catch (fault) {
        createLog().error("ledger_packet_faulted", { fault });
        unread.push(`${length} characters that cannot be read`);
        return [];
      }
    });
  }

  #compact({ packets, unread, upTo, since }: Batch): void {
    const keepOwn: KeepOwn = (...of) => this.#keepOwn(since, ...of);
    try {
      this.#transact(packets, keepOwn, () => this.#end(unread, upTo));
    } catch (fault) {
      createLog().error("ledger_compaction_faulted", { packets: packets.length, fault });
      // One by one, so that one that cannot be counted holds up none of the others.
      const faulted = packets.filter((packet) => !this.#isCounted(packet, keepOwn));
      const aside = [...unread, ...faulted.map(storable)];
      this.#storage.transactionSync(() => this.#end(aside, upTo));
    }
  }

  /** Sets aside what cannot be counted with the rows that it was in: so once, whatever ends it before. */
  #end(aside: string[], upTo: number): void {
    for (const packet of aside) this.#store.inbox.setAside(packet, now());
    this.#store.inbox.drop(upTo);
  }

  #isCounted(packet: LedgerPacket, keepOwn: KeepOwn): boolean {
    try {
      this.#transact([packet], keepOwn);
      return true;
    } catch (fault) {
      // That is no packet's fault: it waits on until there is room.
      if (String(fault).includes("SQLITE_FULL")) throw fault;
      createLog().error("ledger_packet_faulted", { packet: packet.id, fault });
      return false;
    }
  }

  #recount({ id, packet }: { id: number; packet: string }): void {
    const keepOwn: KeepOwn = (...of) => this.#keepOwn(now(), ...of);
    try {
      const packets = packetsIn(packet).map(unpack);
      this.#transact(packets, keepOwn, () => this.#store.inbox.dropSetAside(id));
    } catch (fault) {
      createLog().error("ledger_packet_faulted", { row: id, fault });
    }
  }

  #transact(
    packets: LedgerPacket[],
    keepOwn: KeepOwn,
    also?: () => void,
  ): ReturnType<typeof compact> {
    const held = this.#held ?? newHeld(this.#store);
    // Not kept when this ends early: it may hold numbers that are not written then.
    this.#held = undefined;
    const { expired } = this.#storage.transactionSync(() => {
      const done = compact(this.#store, held, packets, now(), keepOwn);
      also?.();
      return done;
    });
    this.#held = held;
    if (expired > 0) createLog().error("ledger_packets_expired", { packets: expired });
    return { expired };
  }
}
