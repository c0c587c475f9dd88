import {
  COUNTS,
  type CountedHits,
  type LedgerPacket,
  PROPERTIES,
  SUBJECTS,
  TRAFFIC,
} from "./ledger-shapes.ts";

/** A row may have 2 MB; a packet of the queue has 128 KB. */
const MAX_CHARACTERS = 400_000;
/** What may be looked up and grouped by: enough for a registrable domain. */
const MAX_TEXT = { referrer: 253, other: 120 };

/** Kind, id, slot, count, traffic, properties (cut where the rest is empty), hits, visitors. */
type PackedHits = [number, string, number, number, number, string[], number, string[]];
type PackedPacket = [string, PackedHits[]];

/** Packets as the inbox keeps them: some rows of JSON. */
export function packForInbox(packets: LedgerPacket[]): string[] {
  const rows: string[] = [];
  let row: string[] = [];
  let characters = 0;
  for (const { id, hits } of packets) {
    const packed = JSON.stringify([id, hits.map(packHits)] satisfies PackedPacket);
    if (row.length > 0 && characters + packed.length > MAX_CHARACTERS) {
      rows.push(`[${row.join()}]`);
      row = [];
      characters = 0;
    }
    row.push(packed);
    characters += packed.length;
  }
  if (row.length > 0) rows.push(`[${row.join()}]`);
  return rows;
}

/** What {@link packForInbox} wrote. */
export function readInbox(row: string): LedgerPacket[] {
  return (JSON.parse(row) as PackedPacket[]).map(([id, hits]) => ({
    id,
    hits: hits.map(unpackHits),
  }));
}

function packHits(given: CountedHits): PackedHits {
  const { subject, id, slot, count, traffic, hits, visitors } = given;
  const texts = PROPERTIES.map((property) =>
    (given.properties[property] ?? "")
      .slice(0, property === "referrer" ? MAX_TEXT.referrer : MAX_TEXT.other)
      .toWellFormed(),
  );
  while (texts.at(-1) === "") texts.pop();
  const numbers = [SUBJECTS.indexOf(subject), COUNTS.indexOf(count), TRAFFIC.indexOf(traffic)];
  const [kind = -1, what = -1, how = -1] = numbers;
  const isCountable = Number.isSafeInteger(slot) && slot >= 0 && Number.isSafeInteger(hits);
  if (numbers.includes(-1) || !isCountable || hits < 0) throw new Error("Hits of no known shape.");
  return [kind, id, slot, what, how, texts, hits, visitors];
}

function unpackHits(packed: PackedHits): CountedHits {
  const [kind, id, slot, count, traffic, texts, hits, visitors] = packed;
  const properties: CountedHits["properties"] = {};
  for (const [at, text] of texts.entries()) {
    const property = PROPERTIES[at];
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
