import { type Context, inWorkspace, type PlatformContext } from "../../platform/context/context.ts";
import { now } from "../../platform/time.ts";
import type { Feature } from "./permissions.ts";
import { endResumption, findResumed } from "./workspaces.repository.ts";

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
    const unfinished: typeof waiting = [];
    for (const workspace of waiting) {
      if (now() >= end) return;
      const work = inWorkspace(ctx, workspace.id);
      const { features } = workspace;
      let resumed = 0;
      for (const resume of workspace.status === "active" ? resumes : [])
        resumed += await resume(work, { features, limit: SLICE });
      if (resumed > 0) unfinished.push(workspace);
      else await endResumption(ctx.db, workspace.id, workspace.resumedAt);
    }
    waiting = unfinished;
  }
}
