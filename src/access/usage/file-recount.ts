import type { PlatformContext } from "../../platform/context/context.ts";
import { findJobPlace, moveJobPlace } from "../../platform/db/job-places.ts";
import { now } from "../../platform/time.ts";
import {
  type CountedFiles,
  type FileRecords,
  findCountedFiles,
  mendFileCounts,
} from "./file-recount.repository.ts";

export type { FileRecords } from "./file-recount.repository.ts";

const JOB = "recount_files";
/** A minute, and of one workspace as many as it has: 100,000 at most. */
const WORKSPACES_A_MINUTE = 200;
const FILES_A_MINUTE = 20_000;
const PAUSE_MILLISECONDS = 24 * 60 * 60_000;
/** Before the time when the next pass may begin. No id begins so. */
const PAUSED = "until ";

/** Counts the files of all workspaces anew, some each minute, once a day: their own count mends so. */
export async function recountFiles({ db, log }: PlatformContext, files: FileRecords) {
  const place = await findJobPlace(db, JOB);
  const isPaused = place.startsWith(PAUSED);
  if (isPaused && Number(place.slice(PAUSED.length)) > now()) return;
  const found = await findCountedFiles(db, isPaused ? "" : place, WORKSPACES_A_MINUTE);
  const some = within(found, FILES_A_MINUTE);
  if (some.length > 0) {
    const mended = await mendFileCounts(db, files, some);
    if (mended > 0) log.warn("file_counts_mended", { workspaces: mended });
  }
  const isDone = found.length < WORKSPACES_A_MINUTE && some.length === found.length;
  const next = isDone ? `${PAUSED}${now() + PAUSE_MILLISECONDS}` : (some.at(-1) ?? "");
  await moveJobPlace(db, JOB, place, next);
}

/** The first workspaces that have so many files together; the first one, however many it has. */
function within(found: readonly CountedFiles[], most: number): string[] {
  let files = 0;
  const isWithin = (one: CountedFiles, at: number) => {
    files += one.files;
    return at === 0 || files <= most;
  };
  return found.filter(isWithin).map(({ id }) => id);
}
