import type { SettledHits } from "./hit.ts";
import { HIT_COUNTS, HIT_PROPERTIES, HIT_SUBJECTS, HIT_TRAFFIC } from "./hit-names.ts";

/**
 * Places in HIT_SUBJECTS, HIT_COUNTS and HIT_TRAFFIC, of the id in `texts`, the slot, how many hits;
 * then of each property in `texts`, in the order of HIT_PROPERTIES; then of each visitor's hash.
 */
export type PackedHits = number[];
export const BEFORE_PROPERTIES = 6;
export const BEFORE_VISITORS = BEFORE_PROPERTIES + HIT_PROPERTIES.length;

/**
 * One queue message: hits of one workspace, equal ones added up, each text written once. There is
 * nobody's user agent or address in it. Since 2026-11-22; of before is ClickPacket.
 */
export interface HitPacket {
  v: 2;
  workspace: string;
  /** What makes a message that comes twice count once. */
  id: string;
  /** The first is empty. */
  texts: string[];
  hits: PackedHits[];
}

/** Settled hits, with the hashes of the visitors among them. */
export interface CountableHits extends Omit<SettledHits, "people"> {
  visitors: string[];
}

/** A queue takes 128 KB a message; the estimate below is generous, and this leaves room besides. */
const MAX_PACKET_BYTES = 115_000;
/** Of a row without its texts: the numbers at their longest, with commas. */
const ROW_BYTES = 115;
/** A text's quotes and comma, and its place in a row. */
const TEXT_BYTES = 10;
/** A row with more is made several: no row fills a packet. */
const MAX_VISITORS = 500;
/** Characters that JSON and UTF-8 leave as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Packs hits into as few messages as may be sent. */
export function packHits(all: Iterable<CountableHits>, newPacketId: () => string): HitPacket[] {
  const packets: HitPacket[] = [];
  const open = new Map<string, OpenPacket>();
  for (const counted of all) {
    const { workspaceId } = counted;
    for (const part of inRows(counted)) {
      if (open.get(workspaceId)?.add(part)) continue;
      const next = new OpenPacket({
        v: 2,
        workspace: workspaceId,
        id: newPacketId(),
        texts: [""],
        hits: [],
      });
      next.add(part);
      open.set(workspaceId, next);
      packets.push(next.packet);
    }
  }
  return packets;
}

/** Each visitor has hit at least once: so no row is without hits. */
function inRows(counted: CountableHits): CountableHits[] {
  if (counted.visitors.length <= MAX_VISITORS) return [counted];
  const visitors = counted.visitors.slice(0, MAX_VISITORS);
  const left = counted.visitors.slice(MAX_VISITORS);
  const rest = { ...counted, hits: counted.hits - MAX_VISITORS, visitors: left };
  return [{ ...counted, hits: MAX_VISITORS, visitors }, ...inRows(rest)];
}

/** A packet that there may be room in. */
class OpenPacket {
  readonly packet: HitPacket;
  readonly #places = new Map([["", 0]]);
  #room = MAX_PACKET_BYTES;

  constructor(packet: HitPacket) {
    this.packet = packet;
  }

  /** False, and nothing is added, when there is no room. An empty packet has room for any row. */
  add(counted: CountableHits): boolean {
    const { subject, count, traffic, id, slot, hits, properties, visitors } = counted;
    let bytes = ROW_BYTES + TEXT_BYTES * visitors.length + this.#bytesOf(id);
    for (const text of properties) bytes += this.#bytesOf(text);
    for (const text of visitors) bytes += this.#bytesOf(text);
    if (bytes > this.#room && this.packet.hits.length > 0) return false;
    this.#room -= bytes;
    const row = [
      HIT_SUBJECTS.indexOf(subject),
      HIT_COUNTS.indexOf(count),
      HIT_TRAFFIC.indexOf(traffic),
      ...[this.#placeOf(id), slot, hits],
    ];
    for (const text of properties) row.push(this.#placeOf(text));
    for (const text of visitors) row.push(this.#placeOf(text));
    this.packet.hits.push(row);
    return true;
  }

  /** What a text takes beside its place in the row. */
  #bytesOf(text: string): number {
    return this.#places.has(text) ? 0 : TEXT_BYTES + jsonBytes(text);
  }

  #placeOf(text: string): number {
    let place = this.#places.get(text);
    if (place === undefined) {
      place = this.packet.texts.push(text) - 1;
      this.#places.set(text, place);
    }
    return place;
  }
}

/** No fewer bytes than a text takes in JSON: a character that is escaped takes six. */
function jsonBytes(text: string): number {
  return (PLAIN.test(text) ? 1 : 6) * text.length;
}
