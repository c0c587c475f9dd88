import type { Database } from "../../../db/client.ts";
import { now } from "../../../lib/clock.ts";
import { newId } from "../../../lib/ids.ts";
import { advanceRecovery, findFailedSince, findOpenRecovery } from "./recoveries.repository.ts";

const STEP = 100;

/**
 * Carries on a target's recoveries: what failed is sent again, once. Each step moves the job on
 * in the transaction that makes its deliveries, so a step that is cut off leaves no half.
 */
export async function resendFailed(db: Database, targetId: string): Promise<void> {
  for (;;) {
    const job = await findOpenRecovery(db, targetId);
    if (!job) return;
    const failed = await findFailedSince(db, job, STEP);
    const resends = failed.map((id): [string, string] => [newId(), id]);
    await advanceRecovery(db, job, resends, now());
  }
}
