import { z } from "zod";
import {
  HIT_COUNTS,
  HIT_PROPERTIES,
  HIT_SUBJECTS,
  HIT_TRAFFIC,
} from "../../../visitor/clicks/hit-names.ts";
import type { CountedHits } from "./ledger-shapes.ts";
import { READ } from "./read-packet.ts";

/**
 * Places in HIT_SUBJECTS, HIT_COUNTS and HIT_TRAFFIC, of the id in `texts`, the slot, how many hits;
 * then of each property in `texts`, in the order of HIT_PROPERTIES; then of each visitor's hash.
 */
const BEFORE_PROPERTIES = 6;
const BEFORE_VISITORS = BEFORE_PROPERTIES + HIT_PROPERTIES.length;

const Packet = z.object({
  v: z.literal(2),
  workspace: z.uuid(),
  id: z.string(),
  texts: z.array(z.string()),
  // By hand, below: a packet may hold thousands, and they are read beside visitors' requests.
  hits: z.custom<number[][]>(Array.isArray),
});
const VISITOR = /^[\w-]{11}$/;

/** A queue message of 2026-11-22. Nobody sends it any more; it may go after 2026-12-08. */
export type FormerHitPacket = z.output<typeof Packet>;

/** Reads such a message; undefined for anything else. */
export function readFormerHitPacket(body: unknown): FormerHitPacket | undefined {
  const { data } = Packet.safeParse(body);
  return data?.hits.every((row) => isRow(row, data.texts.length)) ? data : undefined;
}

function isRow(row: unknown, texts: number): boolean {
  if (!Array.isArray(row) || row.length < BEFORE_VISITORS) return false;
  const [subject, count, traffic, id, , hits] = row;
  return (
    row.every((number) => Number.isSafeInteger(number) && number >= 0) &&
    [subject, count, traffic].every((place, of) => place < (CODED[of]?.length ?? 0)) &&
    [id, ...row.slice(BEFORE_PROPERTIES)].every((place) => place < texts) &&
    hits > 0
  );
}

const CODED = [HIT_SUBJECTS, HIT_COUNTS, HIT_TRAFFIC];

/** What its hits are counted as. */
export function formerHits({ texts, hits }: FormerHitPacket): CountedHits[] {
  return hits.map((row) => {
    const [subject = 0, count = 0, traffic = 0, of = 0, slot = 0, times = 0] = row;
    const properties: CountedHits["properties"] = {};
    for (const [at, property] of HIT_PROPERTIES.entries()) {
      const given = texts[row[BEFORE_PROPERTIES + at] ?? 0] ?? "";
      const value = READ[property]?.(given) ?? given;
      if (value !== "") properties[property] = value;
    }
    const visitors = row.slice(BEFORE_VISITORS).map((place) => texts[place] ?? "");
    return {
      subject: HIT_SUBJECTS[subject] ?? "link",
      id: texts[of] ?? "",
      slot,
      count: HIT_COUNTS[count] ?? "clicks",
      traffic: HIT_TRAFFIC[traffic] ?? "crawler",
      properties,
      hits: times,
      visitors: visitors.filter((visitor) => VISITOR.test(visitor)),
    };
  });
}

/** A packet as it may be stored: hashes of visitors are nowhere for longer than their salt. */
export function withoutFormerVisitors(packet: FormerHitPacket): FormerHitPacket {
  const used = new Set(
    packet.hits.flatMap((row) => [row[3], ...row.slice(BEFORE_PROPERTIES, BEFORE_VISITORS)]),
  );
  return {
    ...packet,
    texts: packet.texts.map((text, place) => (used.has(place) ? text : "")),
    hits: packet.hits.map((row) => row.slice(0, BEFORE_VISITORS)),
  };
}
