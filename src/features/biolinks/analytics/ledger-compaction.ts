import type { LedgerStore } from "./ledger.repository.ts";
import { measureOf, SLOTS_A_DAY, VISITORS } from "./ledger-counts.ts";
import { type Adds, SubjectDay, WorkspaceDay } from "./ledger-days.ts";
import { HashSet, packetHash, visitorHash } from "./ledger-hashes.ts";
import { seenKey } from "./ledger-keys.ts";
import { countRecent } from "./ledger-recent.ts";
import { DAY_MILLISECONDS, MARK_DAYS, MARK_MILLISECONDS, oldestDay } from "./ledger-retention.ts";
import { ScannedHours } from "./ledger-scans.ts";
import {
  type Count,
  type CountedHits,
  type LedgerPacket,
  SLOT_MILLISECONDS,
  type SubjectKind,
} from "./ledger-shapes.ts";
import type { SubjectNumbers } from "./ledger-subjects.ts";
import type { LedgerTerms } from "./ledger-terms.ts";

/** People of a subject and day (UTC); whoever comes after them is counted as a hit only. */
export const MAX_VISITORS = 200_000;
/** What of a subject is counted for ever. */
const MAIN_COUNT: Record<SubjectKind, Count> = {
  link: "clicks",
  page: "views",
  block: "clicks",
  qr_code: "scans",
  product: "clicks",
};

/** Hits of a subject and day, the slots within it. */
interface DayHits {
  day: number;
  subject: number;
  kind: SubjectKind;
  hits: { slot: number; given: CountedHits }[];
}

/** What is held from one compaction to the next: to be made anew when one was taken back. */
export interface HeldNumbers {
  terms: LedgerTerms;
  subjects: SubjectNumbers;
}

/** What of packets a ledger counts itself. */
export type KeepOwn = (packets: LedgerPacket[], newestSlot: number) => LedgerPacket[];

/**
 * Adds packets up, each id once. In one transaction with what drops them from the inbox: all of
 * it, or nothing, is there afterwards. Says how many were too old to know whether they counted.
 */
export function compact(
  store: LedgerStore,
  { terms, subjects }: HeldNumbers,
  packets: LedgerPacket[],
  time: number,
  keepOwn: KeepOwn = (all) => all,
): { expired: number } {
  const { fresh: marked, expired } = markPackets(store, packets, time);
  const fresh = keepOwn(marked, Math.floor(time / SLOT_MILLISECONDS));
  const date = new Date(time);
  const today = Math.floor(time / DAY_MILLISECONDS);
  const { isFull } = store;
  terms.begin({ month: date.getUTCFullYear() * 12 + date.getUTCMonth(), day: today, isFull });
  subjects.begin();
  const people = new Map<number, number>();
  const workspaceDays = new Map<number, WorkspaceDay>();
  const scanned = new ScannedHours(store, time);
  for (const { day, subject, kind, hits } of sortOut(subjects, fresh, people, time)) {
    const workspaceDay = workspaceDays.get(day) ?? new WorkspaceDay(store, day);
    workspaceDays.set(day, workspaceDay);
    const subjectDay = new SubjectDay(store, { day, subject, kind, isFull });
    // What was seen of earlier days is forgotten: who comes from then may have been counted.
    const seen = day >= today - 1 ? new SeenVisitors(store, day, subject) : undefined;
    for (const { slot, given } of hits) {
      const visitors = given.traffic === "human" ? (seen?.countNew(given.visitors) ?? 0) : 0;
      const adds: Adds = [[measureOf(given.count, given.traffic), given.hits]];
      if (visitors > 0) adds.push([VISITORS, visitors]);
      if (given.count === "scans" && given.traffic === "human")
        scanned.add(day * SLOTS_A_DAY + slot, subject, given.hits, visitors);
      const values = subjectDay.valuesOf(given.properties, terms);
      for (const [measure, count] of adds) subjectDay.add(values, slot, measure, count);
      workspaceDay.add(given, { subject, slot }, adds, terms);
    }
    subjectDay.save();
    seen?.save();
  }
  for (const workspaceDay of workspaceDays.values()) workspaceDay.save();
  for (const [subject, hits] of people) store.addPeople(subject, hits);
  countRecent(store, subjects, fresh, time);
  scanned.save();
  terms.end();
  return { expired };
}

/** Which packets are counted now for the first time. */
function markPackets(
  store: LedgerStore,
  packets: LedgerPacket[],
  time: number,
): { fresh: LedgerPacket[]; expired: number } {
  const marks = new Map<number, HashSet>();
  const marksAt = (at: number) => {
    const held = marks.get(at) ?? new HashSet(store.body("marks", at));
    marks.set(at, held);
    return held;
  };
  const today = Math.floor(time / DAY_MILLISECONDS);
  const oldest = time - MARK_DAYS * DAY_MILLISECONDS;
  const touched = new Set<number>();
  const fresh: LedgerPacket[] = [];
  let expired = 0;
  for (const packet of packets) {
    const { hash, madeAt } = packetHash(packet.id);
    if (madeAt !== undefined && madeAt < oldest) {
      expired++;
      continue;
    }
    // An id that does not say when it was made is marked under the day of its counting, below 0.
    const at = madeAt === undefined ? -today - 1 : Math.floor(madeAt / MARK_MILLISECONDS);
    const days = Array.from({ length: MARK_DAYS }, (_, ago) => at + ago);
    if (madeAt === undefined && days.some((day) => marksAt(day).has(hash))) continue;
    if (!marksAt(at).add(hash)) continue;
    touched.add(at);
    fresh.push(packet);
  }
  for (const at of touched) store.putHashes("marks", at, marksAt(at));
  return { fresh, expired };
}

/** Hits by subject and day. Those from before what is kept count for ever's sake only. */
function sortOut(
  subjects: SubjectNumbers,
  packets: LedgerPacket[],
  people: Map<number, number>,
  time: number,
): Iterable<DayHits> {
  const newest = Math.floor(time / SLOT_MILLISECONDS);
  const oldest = oldestDay(time);
  const sorted = new Map<string, DayHits>();
  for (const given of packets.flatMap(({ hits }) => hits)) {
    const subject = subjects.of(given.subject, given.id);
    if (given.traffic === "human" && given.count === MAIN_COUNT[given.subject])
      people.set(subject, (people.get(subject) ?? 0) + given.hits);
    // A clock that is ahead: nothing is counted in a slot that has not begun.
    const slot = Math.min(given.slot, newest);
    const day = Math.floor(slot / SLOTS_A_DAY);
    if (day < oldest) continue;
    const of = sorted.get(`${subject} ${day}`) ?? { day, subject, kind: given.subject, hits: [] };
    sorted.set(`${subject} ${day}`, of);
    of.hits.push({ slot: slot % SLOTS_A_DAY, given });
  }
  return sorted.values();
}

/** Who was seen of a subject on a day. */
class SeenVisitors {
  readonly #store: LedgerStore;
  readonly #key: number;
  #hashes: HashSet | undefined;
  #hasNew = false;

  constructor(store: LedgerStore, day: number, subject: number) {
    this.#store = store;
    this.#key = seenKey(day, subject);
  }

  /** How many of these were not seen before. */
  countNew(visitors: string[]): number {
    let count = 0;
    for (const visitor of visitors) {
      const hash = visitorHash(visitor);
      this.#hashes ??= new HashSet(this.#store.body("seen", this.#key));
      if (hash === undefined || this.#hashes.size >= MAX_VISITORS) continue;
      if (this.#hashes.add(hash)) count++;
    }
    this.#hasNew ||= count > 0;
    return count;
  }

  save(): void {
    if (this.#hasNew && this.#hashes) this.#store.putHashes("seen", this.#key, this.#hashes);
  }
}
