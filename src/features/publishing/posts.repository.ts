import { desc, eq } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { latestPosts } from "./posts.table.ts";

export type PostRow = typeof latestPosts.$inferSelect;

/** Newest first. */
export async function findLatest(
  db: Database,
  workspaceId: string,
  limit: number,
): Promise<PostRow[]> {
  return db
    .select()
    .from(latestPosts)
    .where(eq(latestPosts.workspaceId, workspaceId))
    .orderBy(desc(latestPosts.publishedAt), desc(latestPosts.eventId))
    .limit(limit);
}
