import { type Context, inWorkspace, type PlatformContext } from "../../platform/context/context.ts";
import { isOverload } from "../../platform/overload.ts";
import { now } from "../../platform/time.ts";
import type { Feature } from "./permissions.ts";
import { endResumption, findResumed, type Resumed } from "./workspaces.repository.ts";

/**
 * Takes up to `limit` pieces of a workspace's work that were parked while it was suspended, or
 * without their feature, and that it may do with `features`; how many those were.
 */
export type Resume = (
  ctx: Context,
  allowed: { features: readonly Feature[]; limit: number },
) => Promise<number>;

const WORKSPACES_A_RUN = 50;
const SLICE = 500;
/** So that nobody's backlog comes as a rush: the next minute goes on. */
const SLICES_A_RUN = 4;
const BUDGET_MILLISECONDS = 10_000;

/**
 * Resumes what was parked of workspaces that may do more again, a slice each in turn. One is done
 * when nothing is left; whoever dies before that has lost nothing.
 */
export async function resumeParked(ctx: PlatformContext, resumes: Resume[]): Promise<void> {
  const end = now() + BUDGET_MILLISECONDS;
  let waiting = await findResumed(ctx.db, WORKSPACES_A_RUN);
  for (let slice = 0; slice < SLICES_A_RUN && waiting.length > 0; slice++) {
    const unfinished: Resumed[] = [];
    for (const workspace of waiting) {
      if (now() >= end) return;
      if (await resumeSlice(ctx, workspace, resumes)) unfinished.push(workspace);
    }
    waiting = unfinished;
  }
}

/** Whether there may be more. A workspace that cannot be resumed keeps no other waiting. */
async function resumeSlice(
  ctx: PlatformContext,
  { id, status, features, resumedAt }: Resumed,
  resumes: Resume[],
): Promise<boolean> {
  const work = inWorkspace(ctx, id);
  try {
    let resumed = 0;
    for (const resume of status === "active" ? resumes : [])
      resumed += await resume(work, { features, limit: SLICE });
    if (resumed === 0) await endResumption(ctx.db, id, resumedAt);
    return resumed > 0;
  } catch (fault) {
    if (isOverload(fault)) throw fault;
    work.log.error("resume_faulted", { fault });
    return false;
  }
}
