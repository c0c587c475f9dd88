import {
  COUNTS,
  type CountedHits,
  type LedgerPacket,
  PROPERTIES,
  SUBJECTS,
  TRAFFIC,
} from "./ledger-shapes.ts";

/** A row may have 2 MB, and a character three bytes. */
const MAX_CHARACTERS = 400_000;
/** What may be looked up and grouped by: enough for the name of a host. */
const MAX_TEXT = { host: 253, other: 120 };
const HOSTS: ReadonlySet<string> = new Set(["domain", "referrer"]);

/** Kind, id, slot, count, traffic, properties, hits, visitors. Properties are places in a row's texts. */
type PackedHits = [number, string, number, number, number, number[], number, string[]];
type PackedPacket = [id: string, hits: PackedHits[]];
type PackedRow = [texts: string[], packets: PackedPacket[]];

/**
 * Packets as the inbox keeps them: some rows of JSON, with each text once in a row. So a packet takes
 * no more than in its queue, however often it names what a stranger made as long as may be.
 */
export function packForInbox(packets: LedgerPacket[]): string[] {
  const rows: string[] = [];
  let row = new Row();
  for (const { id, hits } of packets) {
    row.add(id, hits);
    if (row.characters < MAX_CHARACTERS) continue;
    rows.push(row.write());
    row = new Row();
  }
  if (row.characters > 0) rows.push(row.write());
  return rows;
}

class Row {
  characters = 0;
  readonly #texts = new Map([["", 0]]);
  readonly #packets: string[] = [];

  add(id: string, hits: CountedHits[]): void {
    const packed = JSON.stringify([id, hits.map((of) => this.#pack(of))] satisfies PackedPacket);
    this.#packets.push(packed);
    this.characters += packed.length;
  }

  write(): string {
    return `[${JSON.stringify([...this.#texts.keys()])},[${this.#packets.join()}]]`;
  }

  #pack(given: CountedHits): PackedHits {
    const { subject, id, slot, count, traffic, hits, visitors } = given;
    const places = PROPERTIES.map((property) =>
      this.#placeOf(
        (given.properties[property] ?? "")
          .slice(0, HOSTS.has(property) ? MAX_TEXT.host : MAX_TEXT.other)
          .toWellFormed(),
      ),
    );
    const numbers = [SUBJECTS.indexOf(subject), COUNTS.indexOf(count), TRAFFIC.indexOf(traffic)];
    const [kind = -1, what = -1, how = -1] = numbers;
    const isCountable = Number.isSafeInteger(slot) && slot >= 0 && Number.isSafeInteger(hits);
    if (numbers.includes(-1) || !isCountable || hits < 0)
      throw new Error("Hits of no known shape.");
    return [kind, id, slot, what, how, places, hits, visitors];
  }

  #placeOf(text: string): number {
    const place = this.#texts.get(text);
    if (place !== undefined) return place;
    this.#texts.set(text, this.#texts.size);
    this.characters += text.length;
    return this.#texts.size - 1;
  }
}

/** A packet that cannot be counted, as it is kept for the operator: without who came. */
export function withoutVisitors({ id, hits }: LedgerPacket): string {
  try {
    return packForInbox([{ id, hits: hits.map((of) => ({ ...of, visitors: [] })) }]).join();
  } catch {
    return JSON.stringify([id, `${hits.length} hits of no known shape`]);
  }
}

/** What {@link packForInbox} wrote. */
export function readInbox(row: string): LedgerPacket[] {
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
