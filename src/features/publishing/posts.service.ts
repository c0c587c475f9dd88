import type { Context } from "../../platform/context/context.ts";
import { findLatest, type PostRow } from "./posts.repository.ts";

/** The workspace's latest posts that went out, newest first: at most 12, as no more are kept. */
export async function findLatestPosts(
  { db, workspaceId }: Context,
  limit: number,
): Promise<PostRow[]> {
  return findLatest(db, workspaceId, limit);
}
