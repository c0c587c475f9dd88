import type { Context } from "../platform/context/context.ts";
import { newId } from "../platform/ids.ts";
import { now } from "../platform/time.ts";
import { advanceRecovery, findFailedSince, findOpenRecovery } from "./recoveries.repository.ts";
import type { TargetRef } from "./targets.ts";

const STEP = 100;

/**
 * Carries on a target's recoveries: what failed is sent again, once. Each step moves the job on
 * in the transaction that makes its deliveries, so a step that is cut off leaves no half.
 */
export async function resendFailed({ db, workspaceId }: Context, target: TargetRef): Promise<void> {
  if (target.kind !== "endpoint") return;
  for (;;) {
    const job = await findOpenRecovery(db, workspaceId, target.id);
    if (!job) return;
    const failed = await findFailedSince(db, job, STEP);
    const resends = failed.map((id): [string, string] => [newId(), id]);
    await advanceRecovery(db, job, resends, now());
  }
}
