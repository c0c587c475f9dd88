import {
  COUNTS,
  type CountedHits,
  type LedgerPacket,
  PROPERTIES,
  SUBJECTS,
  TRAFFIC,
} from "./ledger-shapes.ts";

/** Kind, id, slot, count, traffic, properties, hits, visitors. Properties are places in a row's texts. */
type PackedHits = [number, string, number, number, number, number[], number, string[]];
type PackedPacket = [id: string, hits: PackedHits[]];
type PackedRow = [texts: string[], packets: PackedPacket[]];

/**
 * Reads a row of the inbox of before 2026-11-23: packets, with each text once. There are none a few
 * minutes after the deploy; it may go after 2026-12-08.
 */
export function readFormerInbox(row: string): LedgerPacket[] {
  const [texts, packets] = JSON.parse(row) as PackedRow;
  return packets.map(([id, hits]) => ({
    id,
    hits: hits.map((packed) => unpackHits(packed, texts)),
  }));
}

function unpackHits(packed: PackedHits, texts: string[]): CountedHits {
  const [kind, id, slot, count, traffic, places, hits, visitors] = packed;
  const properties: CountedHits["properties"] = {};
  for (const [at, place] of places.entries()) {
    const [property, text] = [PROPERTIES[at], texts[place]];
    if (property && text) properties[property] = text;
  }
  return {
    subject: known(SUBJECTS, kind),
    id,
    slot,
    count: known(COUNTS, count),
    traffic: known(TRAFFIC, traffic),
    properties,
    hits,
    visitors,
  };
}

function known<Of>(all: readonly Of[], at: number): Of {
  const found = all[at];
  if (found === undefined) throw new Error("Hits of no known shape.");
  return found;
}
