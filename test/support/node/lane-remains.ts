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

/** Reads the storage of a killed runtime from copies. */
export function readLaneRemains(storage: string): LaneRemains {
  const journal = "SELECT attempt, is_over AS isOver FROM attempts";
  const rows = queryEach(join(storage, "do/signpost-DeliveryLane"), "attempts", journal);
  const left = rows.map(({ attempt, isOver }) => ({
    ...(JSON.parse(String(attempt)) as { id: string; number: number }),
    isOver: isOver === 1,
  }));
  const over = left.filter(({ isOver }) => isOver);
  const [known] = query(
    join(storage, "d1/miniflare-D1DatabaseObject"),
    `SELECT count(*) AS count FROM json_each(?) AS ended
     JOIN target_deliveries ON target_deliveries.id = ended.value ->> 'id'
     WHERE attempts ->> ('$."' || (ended.value ->> 'number') || '".durationMs') IS NOT NULL`,
    JSON.stringify(over),
  );
  const brought = Number(known?.count);
  return { begun: left.length - over.length, between: over.length - brought, brought };
}
