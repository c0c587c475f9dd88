import {
  type CountedHits,
  type Dimension,
  type Ledger,
  type LedgerAnswer,
  type LedgerPacket,
  type LedgerQuestion,
  type PackedLedgerPacket,
  type RecentAnswer,
  type RecentOf,
  SLOT_MILLISECONDS,
  SUBJECTS,
  type SubjectKind,
} from "../../src/features/biolinks/analytics/ledger-shapes.ts";
import { unpack } from "../../src/features/biolinks/analytics/read-packet.ts";

const SLOTS_A_DAY = (24 * 60 * 60_000) / SLOT_MILLISECONDS;

/** A ledger that keeps every hit as it came and goes through all of them: slow, and plainly right. */
export class LedgerOracle implements Ledger {
  readonly #packets = new Set<string>();
  readonly #hits: (CountedHits & { minute: number })[] = [];
  /** Of each person, subject and day (UTC), the hit that it first came with. */
  readonly #firsts = new Map<string, CountedHits>();

  appendNewer(packets: PackedLedgerPacket[]): Promise<void> {
    return this.append(packets.map(unpack));
  }

  answerNewer(question: LedgerQuestion): Promise<LedgerAnswer> {
    return this.answer(question);
  }

  recentNewer(sinceMinute: number, of?: RecentOf): Promise<RecentAnswer> {
    return this.recent(sinceMinute, of);
  }

  async append(packets: LedgerPacket[]): Promise<void> {
    for (const { id, hits } of packets) {
      if (this.#packets.has(id)) continue;
      this.#packets.add(id);
      for (const hit of hits) {
        this.#hits.push({ ...hit, minute: Math.floor(Date.now() / 60_000) });
        for (const person of hit.visitors) {
          const day = Math.floor(hit.slot / SLOTS_A_DAY);
          const key = [hit.subject, hit.id, day, person].join(" ");
          if (!this.#firsts.has(key)) this.#firsts.set(key, hit);
        }
      }
    }
  }

  countNow(packet: LedgerPacket): Promise<void> {
    return this.append([packet]);
  }

  async answer({
    metrics,
    groupBy,
    buckets,
    traffic,
    filters,
  }: LedgerQuestion): Promise<LedgerAnswer> {
    const rows = new Map<string, { bucket: number; keys: string[]; counts: number[] }>();
    const add = (hit: CountedHits, metric: string, amount: number) => {
      const column = (metrics as string[]).indexOf(metric);
      const bucket = buckets.findLastIndex((start) => start <= hit.slot);
      if (column < 0 || bucket < 0 || bucket >= buckets.length - 1) return;
      for (const { dimension, values, isExcluded } of filters) {
        if (values.includes(keyOf(hit, dimension)) === isExcluded) return;
      }
      if (hit.subject === "product" && !asksForProducts({ groupBy, filters })) return;
      if (groupBy.some((dimension) => isSubject(dimension) && dimension !== hit.subject)) return;
      const keys = groupBy.map((dimension) => keyOf(hit, dimension));
      const key = JSON.stringify([bucket, keys]);
      const row = rows.get(key) ?? { bucket, keys, counts: metrics.map(() => 0) };
      row.counts[column] = (row.counts[column] ?? 0) + amount;
      rows.set(key, row);
    };
    for (const hit of this.#hits) {
      if (traffic === "all" || hit.traffic === traffic) add(hit, hit.count, hit.hits);
    }
    for (const hit of this.#firsts.values()) add(hit, "visitors", 1);
    return { rows: [...rows.values()], freshUntil: Date.now() };
  }

  async recent(sinceMinute: number, of?: RecentOf): Promise<RecentAnswer> {
    const minutes = this.#hits
      .filter(({ minute }) => minute >= sinceMinute)
      .filter(({ subject, id }) =>
        of ? subject === of.subject && of.ids.includes(id) : subject !== "product",
      );
    return { minutes, freshUntil: Date.now() };
  }

  async totals(subject: SubjectKind, ids: string[]): Promise<Record<string, number>> {
    const totals: Record<string, number> = {};
    for (const hit of this.#hits) {
      if (hit.subject !== subject || hit.traffic !== "human" || !ids.includes(hit.id)) continue;
      totals[hit.id] = (totals[hit.id] ?? 0) + hit.hits;
    }
    return totals;
  }
}

/** A product's hits are hits of blocks already: only who asks for them is told of them. */
export function asksForProducts({
  groupBy,
  filters,
}: Pick<LedgerQuestion, "groupBy" | "filters">): boolean {
  const isAsked = filters.some((of) => of.dimension === "product" && !of.isExcluded);
  return isAsked || groupBy.includes("product");
}

function isSubject(dimension: Dimension): dimension is SubjectKind {
  return (SUBJECTS as readonly string[]).includes(dimension);
}

function keyOf(hit: CountedHits, dimension: Dimension): string {
  if (isSubject(dimension)) return dimension === hit.subject ? hit.id : "";
  return hit.properties[dimension] ?? "";
}
