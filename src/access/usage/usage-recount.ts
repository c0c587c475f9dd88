import type { PlatformContext } from "../../platform/context/context.ts";
import { now } from "../../platform/time.ts";
import {
  type FewRecords,
  findRecountPlace,
  finishSlice,
  recountSlice,
  type StoredRecords,
} from "./usage-recount.repository.ts";

export type { FewRecords, StoredRecords } from "./usage-recount.repository.ts";

const ROWS_A_SLICE = 1000;
const WORKSPACES_A_SLICE = 200;
const SLICES_A_MINUTE = 10;
const PAUSE_MILLISECONDS = 24 * 60 * 60_000;

/**
 * Counts all that is stored anew, a few slices a minute, once a day: it counts what stood
 * before there were counts, and mends what went wrong. Writes go on meanwhile: the triggers add
 * what changes behind the place where it is.
 */
export async function recountUsage(
  { db }: PlatformContext,
  all: StoredRecords[],
  few: FewRecords[],
): Promise<void> {
  for (let slice = 0; slice < SLICES_A_MINUTE; slice++) {
    const place = await findRecountPlace(db);
    if (!place || (place.stage === 0 && place.position === "" && place.nextAt > now())) return;
    const records = all[place.stage];
    if (records) await recountSlice(db, records, place, ROWS_A_SLICE);
    else await finishSlice(db, few, place, WORKSPACES_A_SLICE, now() + PAUSE_MILLISECONDS);
  }
}
