import { z } from "zod";
import {
  HIT_COUNTS,
  HIT_PROPERTIES,
  HIT_SUBJECTS,
  HIT_TRAFFIC,
} from "../../../visitor/clicks/hit-names.ts";
import {
  BEFORE_PROPERTIES,
  BEFORE_VISITORS,
  type HitPacket,
  type PackedHits,
} from "../../../visitor/clicks/hit-packet.ts";
import type { CountedHits, LedgerPacket, Property } from "./ledger-shapes.ts";
import { countryOf, referrerOf } from "./referrer.ts";

const Packet = z.object({
  v: z.literal(2),
  workspace: z.uuid(),
  id: z.string(),
  texts: z.array(z.string()),
  // By hand, below: a packet may hold thousands, and they are read beside visitors' requests.
  hits: z.custom<PackedHits[]>(Array.isArray),
});
const VISITOR = /^[\w-]{11}$/;
const REGION = /^[A-Z][A-Z0-9]-[A-Z0-9]{1,3}$/;

/** What is counted of a property as it came; of all else what came was looked at by who gathered it. */
const READ: Partial<Record<Property, (given: string) => string>> = {
  country: countryOf,
  region: (given) => (REGION.test(given) ? given : ""),
  referrer: referrerOf,
};

/** Reads a queue message of the shape of since 2026-11-22; undefined for anything else. */
export function readHitPacket(body: unknown): HitPacket | undefined {
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

/** What a packet's hits are counted as. */
export function toLedgerPacket({ id, texts, hits }: HitPacket): LedgerPacket {
  const known = HIT_PROPERTIES.map(() => new Map<number, string>());
  const properties = (row: PackedHits): CountedHits["properties"] => {
    const said: CountedHits["properties"] = {};
    for (const [at, property] of HIT_PROPERTIES.entries()) {
      const place = row[BEFORE_PROPERTIES + at] ?? 0;
      const given = texts[place] ?? "";
      const value = known[at]?.get(place) ?? READ[property]?.(given) ?? given;
      known[at]?.set(place, value);
      if (value !== "") said[property] = value;
    }
    return said;
  };
  return {
    id,
    hits: hits.map((row) => {
      const [subject = 0, count = 0, traffic = 0, of = 0, slot = 0, times = 0] = row;
      const visitors = row.slice(BEFORE_VISITORS).map((place) => texts[place] ?? "");
      return {
        subject: HIT_SUBJECTS[subject] ?? "link",
        id: texts[of] ?? "",
        slot,
        count: HIT_COUNTS[count] ?? "clicks",
        traffic: HIT_TRAFFIC[traffic] ?? "crawler",
        properties: properties(row),
        hits: times,
        visitors: visitors.filter((visitor) => VISITOR.test(visitor)),
      };
    }),
  };
}

/** A packet as it may be stored: hashes of visitors are nowhere for longer than their salt. */
export function withoutVisitors(packet: HitPacket): HitPacket {
  const used = new Set(packet.hits.flatMap((row) => [row[3], ...propertiesIn(row)]));
  return {
    ...packet,
    texts: packet.texts.map((text, place) => (used.has(place) ? text : "")),
    hits: packet.hits.map((row) => row.slice(0, BEFORE_VISITORS)),
  };
}

function propertiesIn(row: PackedHits): number[] {
  return row.slice(BEFORE_PROPERTIES, BEFORE_VISITORS);
}
