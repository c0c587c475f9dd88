import type { SettledHits } from "./hit.ts";
import { HIT_COUNTS, HIT_SUBJECTS, HIT_TRAFFIC } from "./hit-names.ts";

/**
 * One queue message: hits of one workspace, equal ones added up. There is nobody's user agent or
 * address in it. Version 3 since 2026-11-23; of before are FormerHitPacket and ClickPacket. Since
 * 2026-11-24 products' hits have packets of their own: only these are of version 4.
 */
export interface HitPacket {
  v: 3 | 4;
  workspace: string;
  /** What makes a message that comes twice count once. */
  id: string;
  /** {@link PackedPacket} as JSON: a text passes through the queue's consumer as it is. */
  packet: string;
}

/** What is in a packet: each text once, and each set of a hit's properties. */
export interface PackedPacket {
  /** The first is empty. */
  texts: string[];
  /** Places of texts, in the order of HIT_PROPERTIES. */
  sets: number[][];
  hits: PackedHits[];
  /** The texts are what is to be counted already; else they are looked at once more. */
  isRead?: true;
}

/**
 * The place of the set, of the id in `texts`, places in HIT_SUBJECTS, HIT_COUNTS and HIT_TRAFFIC, the
 * slot, how many hits; and, if there are any, the hashes of visitors, one behind the other.
 */
export type PackedHits = [...numbers: number[], visitors: string] | number[];
export const BEFORE_VISITORS = 7;
/** Characters of a visitor's hash: 64 bits in base64url. */
export const VISITOR_LENGTH = 11;

/** Settled hits, with the hashes of the visitors among them. */
export type CountableHits = Omit<SettledHits, "people">;

/** A queue takes 128 KB a message, and bills each 64 KB begun; this leaves room for what is beside it. */
const MAX_PACKET_BYTES = 125_000;
/** Of a row without its texts: the numbers at their longest, commas, brackets and escaped quotes. */
const ROW_BYTES = 44;
/** Of a set: twelve places, with commas and brackets. */
const SET_BYTES = 75;
/** A text's quotes, that are escaped, and its comma. */
const TEXT_BYTES = 5;
/** A row with more is made several: no row fills a packet. */
const MAX_VISITORS = 500;
/** Characters that JSON in JSON and UTF-8 leave as they are; any other takes seven bytes at most. */
const PLAIN = /^[ !#-[\]-~]*$/;

const VERSIONS = [3, 4] as const;

/** Packs hits into as few messages as may be sent, products' apart: code of before puts those off. */
export class HitPacker {
  readonly #newPacketId: () => string;
  /** By version and workspace. */
  readonly #open = { 3: new Map<string, OpenPacket>(), 4: new Map<string, OpenPacket>() };
  readonly #full: HitPacket[] = [];

  constructor(newPacketId: () => string) {
    this.#newPacketId = newPacketId;
  }

  add(counted: CountableHits): void {
    const { workspaceId, subject } = counted;
    const v = subject === "product" ? 4 : 3;
    const packets = this.#open[v];
    for (const part of inRows(counted)) {
      const open = packets.get(workspaceId);
      if (open?.add(part)) continue;
      if (open) this.#full.push(this.#close(v, workspaceId, open));
      const next = new OpenPacket();
      next.add(part);
      packets.set(workspaceId, next);
    }
  }

  /** All that was added. */
  finish(): HitPacket[] {
    const last = VERSIONS.flatMap((v) =>
      Array.from(this.#open[v], ([of, open]) => this.#close(v, of, open)),
    );
    return [...this.#full, ...last];
  }

  #close(v: HitPacket["v"], workspace: string, open: OpenPacket): HitPacket {
    return { v, workspace, id: this.#newPacketId(), packet: open.write() };
  }
}

/** Hits of one workspace, of which all is told as it is to be counted, as a packet's text: however long. */
export function writePacket(hits: Iterable<CountableHits>): string {
  const packet = new OpenPacket(Number.POSITIVE_INFINITY);
  for (const counted of hits) packet.add(counted);
  return packet.write({ isRead: true });
}

/** How many hits a packet tells of. */
export function hitsIn({ packet }: HitPacket): number {
  const { hits } = JSON.parse(packet) as PackedPacket;
  return hits.reduce((sum, row) => sum + Number(row[BEFORE_VISITORS - 1]), 0);
}

/** Each visitor has hit at least once: so no row is without hits. */
function inRows(counted: CountableHits): CountableHits[] {
  const { visitors } = counted;
  if (visitors.length <= MAX_VISITORS) return [counted];
  const rows: CountableHits[] = [];
  let from = 0;
  for (; from + MAX_VISITORS < visitors.length; from += MAX_VISITORS) {
    const some = visitors.slice(from, from + MAX_VISITORS);
    rows.push({ ...counted, hits: MAX_VISITORS, visitors: some });
  }
  rows.push({ ...counted, hits: counted.hits - from, visitors: visitors.slice(from) });
  return rows;
}

/** No text that is counted has a line's end in it. */
function nameOf(properties: string[]): string {
  return properties.join("\n");
}

/**
 * A packet that there may be room in. What is added is written at once: to write all of it at its
 * end would keep visitors waiting.
 */
class OpenPacket {
  readonly #texts = new Map([["", 0]]);
  readonly #sets = new Map<string, number>();
  /** The same by the list that they come in: most hits have theirs in common with others. */
  readonly #lists = new Map<string[], number>();
  /** The lists of a PackedPacket, as JSON without their brackets. */
  #writtenTexts = '""';
  #writtenSets = "";
  #writtenHits = "";
  #room: number;

  constructor(room = MAX_PACKET_BYTES) {
    this.#room = room;
  }

  /** False, and nothing is added, when there is no room. An empty packet has room for any row. */
  add(counted: CountableHits): boolean {
    const { subject, count, traffic, id, slot, hits, properties, visitors } = counted;
    const known = this.#setOf(properties);
    let bytes = ROW_BYTES + VISITOR_LENGTH * visitors.length + this.#bytesOf(id);
    if (known === undefined) {
      bytes += SET_BYTES;
      for (const text of properties) bytes += this.#bytesOf(text);
    }
    if (bytes > this.#room && this.#writtenHits !== "") return false;
    const [set, place] = [known ?? this.#addSet(properties), this.#placeOf(id)];
    const what = `${HIT_SUBJECTS.indexOf(subject)},${HIT_COUNTS.indexOf(count)},${HIT_TRAFFIC.indexOf(traffic)}`;
    const who = visitors.length > 0 ? `,${JSON.stringify(visitors.join(""))}` : "";
    const row = `[${set},${place},${what},${slot},${hits}${who}]`;
    this.#writtenHits += this.#writtenHits && ",";
    this.#writtenHits += row;
    // Its comma, and the quotes of who came, which are escaped.
    this.#room -= row.length + (who ? 3 : 1);
    return true;
  }

  /** A {@link PackedPacket} as JSON. */
  write({ isRead }: Pick<PackedPacket, "isRead"> = {}): string {
    const lists = `"texts":[${this.#writtenTexts}],"sets":[${this.#writtenSets}],"hits":[${this.#writtenHits}]`;
    return `{${lists}${isRead ? ',"isRead":true' : ""}}`;
  }

  #setOf(properties: string[]): number | undefined {
    const listed = this.#lists.get(properties);
    if (listed !== undefined) return listed;
    const known = this.#sets.get(nameOf(properties));
    if (known !== undefined) this.#lists.set(properties, known);
    return known;
  }

  #addSet(properties: string[]): number {
    const place = this.#sets.size;
    const set = `[${properties.map((text) => this.#placeOf(text)).join()}]`;
    this.#writtenSets += this.#writtenSets && ",";
    this.#writtenSets += set;
    this.#room -= set.length + 1;
    this.#sets.set(nameOf(properties), place);
    this.#lists.set(properties, place);
    return place;
  }

  /** What a text takes beside its place in the row. */
  #bytesOf(text: string): number {
    return this.#texts.has(text) ? 0 : TEXT_BYTES + (PLAIN.test(text) ? 1 : 7) * text.length;
  }

  #placeOf(text: string): number {
    let place = this.#texts.get(text);
    if (place === undefined) {
      this.#room -= this.#bytesOf(text);
      place = this.#texts.size;
      this.#texts.set(text, place);
      this.#writtenTexts += `,${JSON.stringify(text)}`;
    }
    return place;
  }
}
