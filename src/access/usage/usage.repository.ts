import { eq } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { planLimits, workspaceUsage } from "./usage.table.ts";

export type UsageRow = typeof workspaceUsage.$inferSelect;
export type PlanLimitsRow = typeof planLimits.$inferSelect;

export async function findUsage(db: Database, workspaceId: string): Promise<UsageRow | undefined> {
  return db.select().from(workspaceUsage).where(eq(workspaceUsage.id, workspaceId)).get();
}

export async function findPlanLimits(
  db: Database,
  plan: string,
): Promise<PlanLimitsRow | undefined> {
  return db.select().from(planLimits).where(eq(planLimits.plan, plan)).get();
}
