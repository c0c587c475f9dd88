import { toBytes } from "../../../platform/bytes.ts";
import { crc32 } from "../../../platform/crypto/crc32.ts";
import { createLog } from "../../../platform/log.ts";
import type { LedgerStore } from "./ledger.repository.ts";
import { SLOTS_A_DAY } from "./ledger-counts.ts";
import { HandedParts } from "./ledger-handed.repository.ts";
import { readKey } from "./ledger-keys.ts";
import type { CountedHits, LedgerPacket, LedgerQuestion, SubjectKind } from "./ledger-shapes.ts";
import { SUBJECTS } from "./ledger-shapes.ts";
import { OTHER } from "./referrer.ts";

/** Where a ledger splits: it is full at 7 GB, and grows on until the next day begins. */
export const SPLIT_BOUNDS = { bytes: 4_000_000_000, behindMilliseconds: 30 * 60 * 1000 };
/** A ledger has as many for ever: a hash says in which of them a subject is. */
const SHARDS = 16;
const SEPARATOR = "/";
const SPLIT = "split";
const WORKSPACE = "workspace";
/** A shard's name is not under the other: code of before would tell of its scans to nobody, and forget them. */
const SHARD = "shard";

/** Hits of this UTC day (since the epoch) and of later ones are counted in shards. */
export interface Split {
  firstDay: number;
  shards: number;
}

/** Whose ledger this is, and whether it is in one object or in several. */
export class LedgerPlace {
  /** What is on its way to shards, where there are any. */
  readonly handed: HandedParts;
  readonly #storage: DurableObjectStorage;
  readonly #store: LedgerStore;
  #split: Split | undefined;
  #known: string | undefined;
  #behindSince: number | undefined;

  constructor(storage: DurableObjectStorage, store: LedgerStore) {
    this.#storage = storage;
    this.#store = store;
    this.handed = new HandedParts(storage.sql);
    this.#split = storage.kv.get<Split>(SPLIT);
  }

  get split(): Split | undefined {
    return this.#split;
  }

  /** Notes what a caller calls it: an alarm does not always know. */
  keepName(name: string | undefined): void {
    if (!name || this.#name !== undefined) return;
    this.#storage.kv.put(name.includes(SEPARATOR) ? SHARD : WORKSPACE, name);
    this.#known = name;
  }

  /** Undefined until something was appended to it. */
  get workspace(): string | undefined {
    return this.#name?.split(SEPARATOR)[0];
  }

  get isShard(): boolean {
    return this.#name?.includes(SEPARATOR) ?? false;
  }

  get #name(): string | undefined {
    const { kv } = this.#storage;
    this.#known ??= kv.get<string>(SHARD) ?? kv.get<string>(WORKSPACE);
    return this.#known;
  }

  /** Splits a ledger that is larger than a bound: before more is added to it. */
  splitIfAbove(bytes: number): void {
    if (!this.#split && this.#store.size > bytes) this.#begin("size");
  }

  /**
   * … or one whose alarms, one after another, have left something for so long. An outage is none of
   * them: what waited through it may be added up at once.
   */
  splitIfBehind(isLeft: boolean, milliseconds: number, time: number): void {
    this.#behindSince = isLeft && !this.#split ? (this.#behindSince ?? time) : undefined;
    const since = this.#behindSince;
    if (since !== undefined && time - since >= milliseconds) this.#begin("rate");
  }

  #begin(why: "size" | "rate"): void {
    const { workspace } = this;
    if (workspace === undefined || this.isShard) return;
    const last = this.#store.lastKey("counts");
    // Nothing of that day is counted here yet, whatever a clock says: so of a subject and day all is in one place.
    const firstDay = last === undefined ? 0 : readKey(last).day + 1;
    // In one turn, so both are there or neither.
    this.handed.begin();
    const split = { firstDay, shards: SHARDS };
    this.#storage.kv.put(SPLIT, split);
    this.#split = split;
    createLog().warn("ledger_split", { workspace, why, bytes: this.#store.size, ...split });
  }
}

/** What a shard is called. */
export function nameOfShard(workspace: string, shard: number): string {
  return workspace + SEPARATOR + shard;
}

function shardOf(kind: SubjectKind, id: string, { shards }: Split): number {
  return crc32(toBytes(`${kind} ${id}`)) % shards;
}

export function allShards({ shards }: Split): number[] {
  return Array.from({ length: shards }, (_, shard) => shard);
}

/** Which shards hold some subjects. What is over the number of subjects is in any. */
export function shardsOf(kind: SubjectKind, ids: string[], split: Split): number[] {
  if (ids.includes(OTHER)) return allShards(split);
  return [...new Set(ids.map((id) => shardOf(kind, id, split)))];
}

/** Which shards may hold what is asked for, beside the ledger itself. */
export function shardsAsked({ buckets, filters }: LedgerQuestion, split: Split): number[] {
  if ((buckets.at(-1) ?? 0) <= split.firstDay * SLOTS_A_DAY) return [];
  const named = filters.filter(({ isExcluded }) => !isExcluded);
  for (const { dimension, values } of named) {
    const kind = SUBJECTS.find((subject) => subject === dimension);
    if (kind) return shardsOf(kind, values, split);
  }
  return allShards(split);
}

/** Packets, taken apart: what the ledger itself counts, and each shard's part. */
export function takeApart(
  packets: LedgerPacket[],
  split: Split,
  newestSlot: number,
): { own: LedgerPacket[]; parts: Map<number, LedgerPacket[]> } {
  const own: LedgerPacket[] = [];
  const parts = new Map<number, LedgerPacket[]>();
  const shards = new Map<string, number>();
  const placeOf = ({ subject, id, slot }: CountedHits): number | undefined => {
    // As they are counted: a clock that is ahead makes no other day.
    if (Math.min(slot, newestSlot) < split.firstDay * SLOTS_A_DAY) return undefined;
    const name = `${subject} ${id}`;
    const shard = shards.get(name) ?? shardOf(subject, id, split);
    shards.set(name, shard);
    return shard;
  };
  for (const { id, hits } of packets) {
    for (const [shard, some] of Map.groupBy(hits, placeOf)) {
      if (shard === undefined) own.push({ id, hits: some });
      else {
        const part = parts.get(shard) ?? [];
        parts.set(shard, part);
        part.push({ id, hits: some.map((of) => atMost(of, newestSlot)) });
      }
    }
  }
  return { own, parts };
}

function atMost(hits: CountedHits, newestSlot: number): CountedHits {
  return hits.slot <= newestSlot ? hits : { ...hits, slot: newestSlot };
}
