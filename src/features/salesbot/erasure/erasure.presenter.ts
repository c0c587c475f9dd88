import type { ErasureRow } from "../../../events/erasures.repository.ts";
import { toTimestamp } from "../../../platform/time.ts";
import type { Erasure } from "./erasure.schemas.ts";

export function presentErasure({ subject, createdAt, finishedAt }: ErasureRow): Erasure {
  return {
    contact: subject,
    status: finishedAt === null ? "running" : "finished",
    created_at: toTimestamp(createdAt),
    finished_at: finishedAt === null ? null : toTimestamp(finishedAt),
  };
}
