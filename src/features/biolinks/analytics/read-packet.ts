import { z } from "zod";
import {
  HIT_COUNTS,
  HIT_PROPERTIES,
  HIT_SUBJECTS,
  HIT_TRAFFIC,
} from "../../../visitor/clicks/hit-names.ts";
import {
  BEFORE_VISITORS,
  type CountableHits,
  type HitPacket,
  type PackedHits,
  type PackedPacket,
  VISITOR_LENGTH,
  writePacket,
} from "../../../visitor/clicks/hit-packet.ts";
import type { CountedHits, LedgerPacket, PackedLedgerPacket, Property } from "./ledger-shapes.ts";
import { countryOf, referrerOf } from "./referrer.ts";

/** An id is written in a line of its own. */
const Packet = z.object({
  v: z.literal([3, 4]),
  workspace: z.uuid(),
  id: z.string().regex(/^\S{1,100}$/),
  packet: z.string(),
});
const REGION = /^[A-Z][A-Z0-9]-[A-Z0-9]{1,3}$/;
/** What may be looked up and grouped by: enough for the name of a host. */
const MAX_TEXT = { host: 253, other: 120 };
const HOSTS: ReadonlySet<string> = new Set(["domain", "referrer"]);

/** What is counted of a property as it came; of all else what came was looked at by who gathered it. */
export const READ: Partial<Record<Property, (given: string) => string>> = {
  country: countryOf,
  region: (given) => (REGION.test(given) ? given : ""),
  referrer: referrerOf,
};

/** Reads a queue message of the newest shape, not what is packed in it; undefined for anything else. */
export function readHitPacket(body: unknown): HitPacket | undefined {
  return Packet.safeParse(body).data;
}

/**
 * What a packet's hits are counted as. Read where they are counted, not where they pass by.
 * @throws when it has no shape that is known here
 */
export function unpack({ id, packet }: PackedLedgerPacket): LedgerPacket {
  const { texts, sets, hits, isRead } = parsed(packet);
  const properties = sets.map((places) => {
    const told = places.map((place) => texts[place] ?? "");
    return propertiesOf(told, isRead ? {} : READ);
  });
  return {
    id,
    hits: hits.map((row) => {
      const [set = 0, of = 0, subject = 0, count = 0, traffic = 0, slot = 0, times = 0] =
        row as number[];
      return {
        subject: HIT_SUBJECTS[subject] ?? "link",
        id: texts[of] ?? "",
        slot,
        count: HIT_COUNTS[count] ?? "clicks",
        traffic: HIT_TRAFFIC[traffic] ?? "crawler",
        properties: properties[set] ?? {},
        hits: times,
        visitors: visitorsOf(row),
      };
    }),
  };
}

/** Hits as they are packed. @throws when they have no shape that is known here */
export function packed(given: LedgerPacket): PackedLedgerPacket {
  const made = packedAgain(given);
  parsed(made.packet);
  return made;
}

/** The same of hits that {@link unpack} gave. */
export function packedAgain({ id, hits }: LedgerPacket): PackedLedgerPacket {
  const countable = hits.map(
    (given): CountableHits => ({
      ...given,
      workspaceId: "",
      properties: HIT_PROPERTIES.map((property) => given.properties[property] ?? ""),
      visitors: given.visitors.filter(({ length }) => length === VISITOR_LENGTH),
    }),
  );
  return { id, packet: writePacket(countable) };
}

/** A packet as it may be stored: hashes of visitors are nowhere for longer than their salt. */
export function withoutVisitors(of: HitPacket): HitPacket {
  try {
    const { hits, ...named } = parsed(of.packet);
    const alone = hits.map((row) => row.slice(0, BEFORE_VISITORS));
    return { ...of, packet: JSON.stringify({ ...named, hits: alone }) };
  } catch {
    return { ...of, packet: "" };
  }
}

function propertiesOf(texts: string[], read: typeof READ): CountedHits["properties"] {
  const said: CountedHits["properties"] = {};
  for (const [at, property] of HIT_PROPERTIES.entries()) {
    const given = texts[at] ?? "";
    const value = read[property]?.(given) ?? given;
    const length = HOSTS.has(property) ? MAX_TEXT.host : MAX_TEXT.other;
    if (value !== "") said[property] = value.slice(0, length).toWellFormed();
  }
  return said;
}

function visitorsOf(row: PackedHits): string[] {
  const visitors: string[] = [];
  const all = String(row[BEFORE_VISITORS] ?? "");
  for (let at = 0; at < all.length; at += VISITOR_LENGTH)
    visitors.push(all.slice(at, at + VISITOR_LENGTH));
  return visitors;
}

function parsed(packet: string): PackedPacket {
  const { texts, sets, hits, isRead } = JSON.parse(packet) as Partial<PackedPacket>;
  if (!Array.isArray(texts) || !Array.isArray(sets) || !Array.isArray(hits)) return unknown();
  const isText = (text: unknown) => typeof text === "string";
  const isSet = (set: unknown) =>
    Array.isArray(set) &&
    set.length === HIT_PROPERTIES.length &&
    set.every((place) => isPlace(place, texts));
  if (!texts.every(isText) || !sets.every(isSet)) return unknown();
  for (const row of hits) {
    if (!Array.isArray(row)) return unknown();
    const [set, of, subject, count, traffic, slot, times, visitors = ""] = row as unknown[];
    const isKnown =
      isPlace(set, sets) &&
      isPlace(of, texts) &&
      isPlace(subject, HIT_SUBJECTS) &&
      isPlace(count, HIT_COUNTS) &&
      isPlace(traffic, HIT_TRAFFIC);
    const isCountable = isNumber(slot) && isNumber(times) && typeof visitors === "string";
    if (!isKnown || !isCountable || row.length > BEFORE_VISITORS + 1) return unknown();
  }
  return { texts, sets, hits, ...(isRead === true && { isRead }) };
}

function isPlace(place: unknown, of: readonly unknown[]): boolean {
  return isNumber(place) && place < of.length;
}

function isNumber(number: unknown): number is number {
  return Number.isSafeInteger(number) && (number as number) >= 0;
}

function unknown(): never {
  throw new Error("Hits of no known shape.");
}
