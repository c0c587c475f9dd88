import { join } from "node:path";
import { query, queryEach } from "./runtime-storage.ts";

/** Attempts in the journals of lanes whose runtime was killed, by how far they had come. */
export interface LaneRemains {
  /** Begun, and neither the lane nor the database knows how they ended. */
  begun: number;
  /** Their end is in the lane's journal, and not in the database. */
  between: number;
  /** Their end is in both: the journal was about to forget them. */
  brought: number;
}

interface Attempt {
  id: string;
  number: number;
}

/** As a lane writes it: see lane-journal.repository.ts. */
interface Entry {
  ended?: Attempt[];
  begun?: Attempt[];
  gone?: string[];
}

/** Reads the storage of a killed runtime from copies. */
export function readLaneRemains(storage: string): LaneRemains {
  const journal = "SELECT entry FROM entries ORDER BY id";
  const rows = queryEach(join(storage, "do/signpost-DeliveryLane"), "entries", journal);
  const known = new Map<string, Attempt & { isOver: boolean }>();
  for (const row of rows) {
    const { ended = [], begun = [], gone = [] } = JSON.parse(String(row.entry)) as Entry;
    for (const one of ended) known.set(one.id, { ...one, isOver: true });
    for (const one of begun) known.set(one.id, { ...one, isOver: false });
    for (const id of gone) known.delete(id);
  }
  const left = [...known.values()];
  const over = left.filter(({ isOver }) => isOver);
  const [brought] = query(
    join(storage, "d1/miniflare-D1DatabaseObject"),
    `SELECT count(*) AS count FROM json_each(?) AS ended
     JOIN target_deliveries ON target_deliveries.id = ended.value ->> 'id'
     WHERE attempts ->> ('$."' || (ended.value ->> 'number') || '".durationMs') IS NOT NULL`,
    JSON.stringify(over),
  );
  const inBoth = Number(brought?.count);
  return { begun: left.length - over.length, between: over.length - inBoth, brought: inBoth };
}
