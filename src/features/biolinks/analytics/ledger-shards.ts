import pMap from "p-map";
import type { Env } from "../../../platform/config.ts";
import { shareOfTime } from "../../../platform/slices.ts";
import { ledgerOf } from "./ledger-client.ts";
import type { HandedParts } from "./ledger-handed.repository.ts";
import { packetsIn, packForInbox } from "./ledger-packets.ts";
import {
  asksApart,
  type LedgerAnswer,
  type LedgerPacket,
  type LedgerQuestion,
  type RecentAnswer,
  type RecentOf,
  type SubjectKind,
  TOLD_APART,
} from "./ledger-shapes.ts";
import {
  allShards,
  type LedgerPlace,
  nameOfShard,
  shardsAsked,
  shardsOf,
  takeApart,
} from "./ledger-split.ts";
import { RowSums } from "./ledger-sums.ts";
import { packedAgain } from "./read-packet.ts";

/** An answer may have 100,000 rows, some 12 MB: so many are in memory beside their sum. */
const SHARDS_AT_ONCE = 4;
/** A call takes 32 MB; a row has 250 KB at most, one of before 2026-11-29 up to 525. */
const ROWS_A_CALL = 10;

type Shard = ReturnType<typeof ledgerOf>;

/** What a ledger that has split hands on to its shards, and is told by them. */
export class LedgerShards {
  readonly #env: Env;
  readonly #place: LedgerPlace;
  readonly #handed: HandedParts;
  #handing: Promise<void> | undefined;

  constructor(env: Env, place: LedgerPlace, handed: HandedParts) {
    this.#env = env;
    this.#place = place;
    this.#handed = handed;
  }

  /** Leaves of packets what the ledger itself counts; the rest is to be handed on. `since`: when they came. */
  keepOwn(since: number, packets: LedgerPacket[], newestSlot: number): LedgerPacket[] {
    const { split } = this.#place;
    if (!split) return packets;
    const { own, parts } = takeApart(packets, split, newestSlot);
    for (const [shard, some] of parts) {
      for (const [isNewer, alike] of Map.groupBy(some, hasProducts)) {
        for (const row of packForInbox(alike.map(packedAgain)))
          this.#handed.put(shard, { packets: row, isNewer, time: since });
      }
    }
    return own;
  }

  /** Hands on what is kept for shards, for so long. @throws when a shard does not take its parts: others do */
  handOn(milliseconds: number): Promise<void> {
    this.#handing ??= this.#handAll(shareOfTime(milliseconds)).finally(() => {
      this.#handing = undefined;
    });
    return this.#handing;
  }

  async erase(): Promise<void> {
    const { split } = this.#place;
    if (split) await this.#ask(allShards(split), (shard) => shard.erase());
  }

  /** Since when the oldest of it waits. */
  waitingSince(): number | undefined {
    if (!this.#place.split) return undefined;
    const times = this.#handed.waiting().map(({ since }) => since);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** What all say to a question, added up. @throws when one of them does not answer */
  async answer(question: LedgerQuestion, own: LedgerAnswer): Promise<LedgerAnswer> {
    const { split } = this.#place;
    const shards = split ? shardsAsked(question, split) : [];
    if (shards.length === 0) return own;
    const sums = new RowSums();
    sums.add(own.rows);
    let { freshUntil } = own;
    const unattributed = [...(own.unattributed ?? [])];
    await this.#ask(shards, async (shard) => {
      const asked = asksApart(question) ? shard.answerNewer(question) : shard.answer(question);
      const answer = await asked;
      sums.add(answer.rows);
      for (const [metric, count] of (answer.unattributed ?? []).entries())
        unattributed[metric] = (unattributed[metric] ?? 0) + count;
      freshUntil = Math.min(freshUntil, answer.freshUntil);
    });
    return { rows: sums.rows(), unattributed, freshUntil };
  }

  /** Minutes are added up by who asks for them. @throws likewise */
  async recent(since: number, of: RecentOf | undefined, own: RecentAnswer): Promise<RecentAnswer> {
    const { split } = this.#place;
    if (!split) return own;
    const all = { minutes: [...own.minutes], freshUntil: own.freshUntil };
    await this.#ask(of ? shardsOf(of.subject, of.ids, split) : allShards(split), async (shard) => {
      const isApart = of?.subject === TOLD_APART;
      const answer = await (isApart ? shard.recentNewer(since, of) : shard.recent(since, of));
      all.minutes.push(...answer.minutes);
      all.freshUntil = Math.min(all.freshUntil, answer.freshUntil);
    });
    return all;
  }

  /** @throws likewise */
  async totals(kind: SubjectKind, ids: string[], own: Record<string, number>) {
    const { split } = this.#place;
    if (!split || ids.length === 0) return own;
    const all = { ...own };
    await this.#ask(shardsOf(kind, ids, split), async (shard) => {
      const totals = await shard.totals(kind, ids);
      for (const [id, hits] of Object.entries(totals)) all[id] = (all[id] ?? 0) + hits;
    });
    return all;
  }

  async #handAll(isTimeUp: () => boolean): Promise<void> {
    if (!this.#place.split) return;
    const faults: unknown[] = [];
    const handTo = (shard: number) =>
      this.#handTo(shard, isTimeUp).catch((fault: unknown) => faults.push(fault));
    const shards = this.#handed.waiting().map(({ shard }) => shard);
    await pMap(shards, handTo, { concurrency: SHARDS_AT_ONCE });
    if (faults.length > 0) throw faults[0];
  }

  async #handTo(shard: number, isTimeUp: () => boolean): Promise<void> {
    while (!isTimeUp()) {
      const rows = this.#handed.rows(shard, ROWS_A_CALL);
      if (rows.length === 0) return;
      const stub = this.#shard(shard);
      for (const [isNewer, alike] of Map.groupBy(rows, (row) => row.isNewer)) {
        const packets = alike.flatMap((row) => packetsIn(row.packets));
        const since = Math.min(...alike.map(({ time }) => time));
        if (isNewer) await stub.appendNewer(packets, since);
        else await stub.append(packets, since);
      }
      this.#handed.drop(rows.map(({ id }) => id));
    }
  }

  async #ask(shards: number[], ask: (shard: Shard) => Promise<void>): Promise<void> {
    await pMap(shards, (shard) => ask(this.#shard(shard)), { concurrency: SHARDS_AT_ONCE });
  }

  #shard(shard: number): Shard {
    return ledgerOf(this.#env, nameOfShard(this.#place.workspace ?? "", shard));
  }
}

function hasProducts({ hits }: LedgerPacket): boolean {
  return hits.some(({ subject }) => subject === TOLD_APART);
}
