import {
  COUNTS,
  type CountedHits,
  type LedgerPacket,
  PROPERTIES,
  SUBJECTS,
  TRAFFIC,
} from "../../../src/features/biolinks/analytics/ledger-shapes.ts";

/** Characters of a visitor's hash. */
const HASH = /.{11}/g;

/** A packet of hits as it stands in its queue. */
export interface TakenPacket extends LedgerPacket {
  workspace: string;
}

/** Reads a packet by what record 20 says of it, with nothing of the code that it is to be counted by. */
export function readTaken(body: unknown): TakenPacket {
  const { v, workspace, id, packet } = body as {
    v: number;
    workspace: string;
    id: string;
    packet: string;
  };
  if (v !== 3 && v !== 4) throw new Error(`A packet of version ${v}.`);
  const { texts, sets, hits } = JSON.parse(packet) as {
    texts: string[];
    sets: number[][];
    hits: [...number[], string][];
  };
  return {
    workspace,
    id,
    hits: hits.map((row): CountedHits => {
      const [set = -1, of = -1, subject = -1, count = -1, traffic = -1, slot = 0, times = 0] =
        row as number[];
      const named = PROPERTIES.map((property, at) => [property, texts[sets[set]?.[at] ?? 0]]);
      return {
        subject: SUBJECTS[subject] ?? "link",
        id: texts[of] ?? "",
        slot,
        count: COUNTS[count] ?? "views",
        traffic: TRAFFIC[traffic] ?? "head",
        properties: Object.fromEntries(named.filter(([, value]) => value !== "")),
        hits: times,
        visitors: String(row[7] ?? "").match(HASH) ?? [],
      };
    }),
  };
}

/** How many hits are in some packets. */
export function hitsIn(packets: LedgerPacket[]): number {
  return packets.flatMap(({ hits }) => hits).reduce((sum, { hits }) => sum + hits, 0);
}
