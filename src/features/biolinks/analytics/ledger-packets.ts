import type { LedgerPacket, PackedLedgerPacket } from "./ledger-shapes.ts";
import { packed } from "./read-packet.ts";

/**
 * From here on the next packet begins a new row: a row is added up in one go, beside other work. (It
 * may have 2 MB, and a character three bytes.)
 */
const FULL_CHARACTERS = 100_000;
/** No packet's id has one in it, nor has JSON. */
const LINE_END = "\n";

/** Packets as the inbox keeps them: some rows of lines, of each packet its id and then its text. */
export function packForInbox(packets: (LedgerPacket | PackedLedgerPacket)[]): string[] {
  const rows: string[] = [];
  let lines: string[] = [];
  let characters = 0;
  for (const packet of packets) {
    const { id, packet: text } = "hits" in packet ? packed(packet) : packet;
    lines.push(id, text);
    characters += id.length + text.length;
    if (characters < FULL_CHARACTERS) continue;
    rows.push(lines.join(LINE_END));
    lines = [];
    characters = 0;
  }
  if (lines.length > 0) rows.push(lines.join(LINE_END));
  return rows;
}

/** The packets of a row that {@link packForInbox} wrote. */
export function packetsIn(row: string): PackedLedgerPacket[] {
  const lines = row.split(LINE_END);
  return Array.from({ length: Math.ceil(lines.length / 2) }, (_, at) => ({
    id: lines[2 * at] ?? "",
    packet: lines[2 * at + 1] ?? "",
  }));
}

/** A packet that cannot be counted, as it is kept for the operator: without who came. */
export function storable({ id, hits }: LedgerPacket): string {
  try {
    return packForInbox([{ id, hits: hits.map((of) => ({ ...of, visitors: [] })) }]).join();
  } catch {
    return `${id}: ${hits.length} hits of no known shape`;
  }
}
