import { eq } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { domains } from "./domains.table.ts";

export type DomainRow = typeof domains.$inferSelect;

export async function listDomains(db: Database, workspaceId: string): Promise<DomainRow[]> {
  return db.select().from(domains).where(eq(domains.workspaceId, workspaceId));
}
