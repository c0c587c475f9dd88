import type {
  HIT_COUNTS,
  HIT_PROPERTIES,
  HIT_SUBJECTS,
  HIT_TRAFFIC,
} from "../../../visitor/clicks/hit-names.ts";

// The same lists as in packets. What a ledger stores holds places in them too: add at the end only.
export {
  HIT_COUNTS as COUNTS,
  HIT_PROPERTIES as PROPERTIES,
  HIT_SUBJECTS as SUBJECTS,
  HIT_TRAFFIC as TRAFFIC,
  SLOT_MILLISECONDS,
} from "../../../visitor/clicks/hit-names.ts";
export type Count = (typeof HIT_COUNTS)[number];
export type TrafficKind = (typeof HIT_TRAFFIC)[number];
export type SubjectKind = (typeof HIT_SUBJECTS)[number];
/** What else is known of a hit; empty where nothing is. */
export type Property = (typeof HIT_PROPERTIES)[number];
export type Dimension = SubjectKind | Property;
/**
 * Hits of these are told a second time, beside what they are hits of: a product's beside its block's.
 * They are in no answer but to who asks for them, by a dimension or a filter.
 */
export const TOLD_APART: SubjectKind = "product";
/** Hits that are counted alike. */
export interface CountedHits {
  subject: SubjectKind;
  id: string;
  slot: number;
  count: Count;
  traffic: TrafficKind;
  properties: Partial<Record<Property, string>>;
  hits: number;
  /** People among them, as hashes of 64 bits in base64url (11 characters); the ledger counts each once a UTC day and subject, in the slot it first came in. */
  visitors: string[];
}
/** What the queue's consumer hands to the ledger: nothing in it names a user agent or an address. */
export interface LedgerPacket {
  id: string;
  hits: CountedHits[];
}
/** The same as it comes from the queue: the text is read when it is counted. */
export interface PackedLedgerPacket {
  id: string;
  packet: string;
}
export interface LedgerQuestion {
  metrics: (Count | "visitors")[];
  groupBy: Dimension[]; // at most 2
  /** Slot numbers, none below the one before, two at least: bucket i is from [i] up to but not including [i + 1]. */
  buckets: number[];
  traffic: "human" | "crawler" | "all"; // all: the four kinds; visitors are always people
  filters: { dimension: Dimension; values: string[]; isExcluded: boolean }[];
}
/** Whether it is asked for hits that are told apart, and so for no others. */
export function asksApart({
  groupBy,
  filters,
}: Pick<LedgerQuestion, "groupBy" | "filters">): boolean {
  const isFor = ({ dimension, isExcluded }: LedgerQuestion["filters"][number]) =>
    dimension === TOLD_APART && !isExcluded;
  return groupBy.includes(TOLD_APART) || filters.some(isFor);
}
/** `keys` in the order of groupBy, `counts` in the order of metrics. Rows of zeros are left out. */
export interface LedgerRow {
  bucket: number;
  keys: string[];
  counts: number[];
}
export interface LedgerAnswer {
  rows: LedgerRow[];
  /**
   * In the order of metrics: hits that a filter or a group may be about or not, as of a property too
   * many values came for this one to be kept. Ledgers of before 2026-11-28 do not say.
   */
  unattributed?: number[];
  /** Milliseconds: what came before is counted. */
  freshUntil: number;
}
/** Hits of one minute (since the epoch), by when their packet was made. */
export interface RecentMinute {
  minute: number;
  count: Count;
  traffic: TrafficKind;
  hits: number;
}
/** Of which subjects the last minutes are asked. */
export interface RecentOf {
  subject: SubjectKind;
  ids: string[];
}
export interface RecentAnswer {
  minutes: RecentMinute[];
  freshUntil: number;
}
/** RPC of the Durable Object class WorkspaceLedger (binding LEDGER, one for each workspace by its id): */
export interface Ledger {
  append(packets: (LedgerPacket | PackedLedgerPacket)[], since?: number): Promise<void>; // durable when it answers; a packet id counts once. `since`: when they came first, if not now
  appendNewer(packets: PackedLedgerPacket[], since?: number): Promise<void>; // the same of packets that ledgers of before 2026-11-24 cannot read: these have no such call
  countNow(packet: LedgerPacket): Promise<void>; // the same, and counted when it answers; throws where it cannot be
  answer(question: LedgerQuestion): Promise<LedgerAnswer>;
  recent(sinceMinute: number, of?: RecentOf): Promise<RecentAnswer>; // of the last hour at most
  answerNewer(question: LedgerQuestion): Promise<LedgerAnswer>; // the same as answer, of what ledgers of before 2026-11-24 do not know and would answer amiss: these have no such call
  recentNewer(sinceMinute: number, of?: RecentOf): Promise<RecentAnswer>; // likewise
  totals(subject: SubjectKind, ids: string[]): Promise<Record<string, number>>; // people's clicks/views/scans of each ever
}
/** The message of what {@link Ledger.answer} throws when a question would read or answer too much. */
export const QUESTION_TOO_WIDE = "ledger_question_too_wide";
