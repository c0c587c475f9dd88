import { ApiError } from "../../api/errors.ts";
import { type Context, inWorkspace, type PlatformContext } from "../../platform/context/context.ts";
import { isReferenceConflict } from "../../platform/db/faults.ts";
import { retryTransient } from "../../platform/db/retry.ts";
import { isOverload } from "../../platform/overload.ts";
import { shareOfTime } from "../../platform/slices.ts";
import { now, toTimestamp } from "../../platform/time.ts";
import { changeWorkspace } from "./workspace-change.ts";
import type { WorkspaceDeletion } from "./workspace-deletion.schemas.ts";
import type { DeletionRow } from "./workspace-deletions.repository.ts";
import * as repository from "./workspace-deletions.repository.ts";
import type { WorkspacePlace } from "./workspace-places.ports.ts";
import { getWorkspace } from "./workspaces.service.ts";

/** Of a minute, whose jobs share the thousand queries of their invocation. */
const JOB_MILLISECONDS = 10_000;
const SLICES = 60;
const DELETIONS_A_MINUTE = 20;
/** What was on its way when the workspace went, at the end of the first pass, has come by the second. */
const PASSES = 2;
const BETWEEN_PASSES_MILLISECONDS = 60 * 60_000;
const FAULT_PAUSE_MILLISECONDS = 10 * 60_000;
const OVERLOAD_PAUSE_MILLISECONDS = 60_000;
/** What still begins again then has something that no place takes: a defect. */
const STUCK_AFTER_MILLISECONDS = 7 * 24 * 60 * 60_000;

/** Suspends a workspace at once, and begins to erase it; called again: how far that is. @throws 404 */
export async function startDeletion(ctx: Context): Promise<DeletionRow> {
  const begun = await repository.findDeletion(ctx.db, ctx.workspaceId);
  if (!begun) await getWorkspace(ctx);
  if (!begun?.finishedAt)
    await changeWorkspace(ctx, () => repository.insertDeletion(ctx.db, ctx.workspaceId, now()));
  return getDeletion(ctx);
}

/** @throws 404 */
export async function getDeletion({ db, workspaceId }: Context): Promise<DeletionRow> {
  const deletion = await repository.findDeletion(db, workspaceId);
  if (!deletion) throw new ApiError("not_found", { message: "There is no such deletion." });
  return deletion;
}

export function presentDeletion({ id, createdAt, finishedAt }: DeletionRow): WorkspaceDeletion {
  return {
    workspace: id,
    status: finishedAt === null ? "running" : "finished",
    created_at: toTimestamp(createdAt),
    finished_at: finishedAt === null ? null : toTimestamp(finishedAt),
  };
}

/** Goes on with deletions, a slice of each in turn: one that is large keeps no other waiting. */
export async function deleteWorkspaces(
  ctx: PlatformContext,
  places: readonly WorkspacePlace[],
): Promise<void> {
  const isTimeUp = shareOfTime(JOB_MILLISECONDS);
  let waiting = await repository.findDueDeletions(ctx.db, now(), DELETIONS_A_MINUTE);
  for (let slices = 0; waiting.length > 0; ) {
    const unfinished: DeletionRow[] = [];
    for (const deletion of waiting) {
      if (isTimeUp() || slices >= SLICES) return;
      slices++;
      const next = await eraseSlice(inWorkspace(ctx, deletion.id), deletion, places);
      if (next) unfinished.push(next);
    }
    waiting = unfinished;
  }
}

/** Undefined: nothing is to be done of it for now. */
async function eraseSlice(
  ctx: Context,
  deletion: DeletionRow,
  places: readonly WorkspacePlace[],
): Promise<DeletionRow | undefined> {
  try {
    const next = await eraseNext(ctx, deletion, places);
    await repository.saveDeletion(ctx.db, next);
    if (next.finishedAt !== null) ctx.log.info("workspace_deleted");
    return next.finishedAt === null && next.dueAt <= now() ? next : undefined;
  } catch (fault) {
    const { place } = deletion;
    // What came meanwhile names something: a pass from the beginning takes it first.
    const isNamed = isReferenceConflict(fault);
    const from = isNamed ? { place: "", position: "" } : {};
    const isYoung = now() - deletion.createdAt < STUCK_AFTER_MILLISECONDS;
    if (isNamed && isYoung) ctx.log.warn("deletion_begins_again", { place });
    else if (!isOverload(fault)) ctx.log.error("deletion_faulted", { place, fault });
    const pause = isOverload(fault) ? OVERLOAD_PAUSE_MILLISECONDS : FAULT_PAUSE_MILLISECONDS;
    await repository.saveDeletion(ctx.db, { ...deletion, ...from, dueAt: now() + pause });
    if (isOverload(fault)) throw fault;
    return undefined;
  }
}

/** Erases what is next, and says where the deletion is then. */
async function eraseNext(
  ctx: Context,
  deletion: DeletionRow,
  places: readonly WorkspacePlace[],
): Promise<DeletionRow> {
  // None of this name in the code of today: the pass begins again.
  const at = Math.max(
    places.findIndex(({ name }) => name === deletion.place),
    0,
  );
  const place = places[at];
  const from = place?.name === deletion.place ? deletion.position : "";
  const position = await retryTransient(async () => place?.eraseNext(ctx, from));
  // Due as of now: others have their turn.
  const dueAt = now();
  if (position !== undefined) return { ...deletion, place: place?.name ?? "", position, dueAt };
  const next = places[at + 1];
  if (next) return { ...deletion, place: next.name, position: "", dueAt };
  const passes = deletion.passes + 1;
  const ended = { ...deletion, passes, place: "", position: "" };
  return passes < PASSES
    ? { ...ended, dueAt: dueAt + BETWEEN_PASSES_MILLISECONDS }
    : { ...ended, finishedAt: dueAt };
}
