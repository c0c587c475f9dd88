import { ApiError } from "../../../../api/errors.ts";
import type { ClientContext, Context } from "../../../../platform/context/context.ts";
import { now, toTimestamp } from "../../../../platform/time.ts";
import type { FeedAddressRow } from "./feed-address.repository.ts";
import * as repository from "./feed-address.repository.ts";
import { feedPaths } from "./feed-address.ts";
import type { FeedAddress } from "./product-feed.schemas.ts";

/** @throws 404 */
export async function getFeedAddress({ db, workspaceId }: Context): Promise<FeedAddressRow> {
  const row = await repository.findFeedAddress(db, workspaceId);
  if (!row) throw new ApiError("not_found", { message: "The feed has no public address." });
  return row;
}

/** Gives the feed an address in place of the one that it had. The same request again gives the same. */
export async function createFeedAddress({
  db,
  workspaceId,
  creates,
}: ClientContext): Promise<FeedAddressRow> {
  const row = { id: creates.id, workspaceId, createdAt: now() };
  await repository.putFeedAddress(db, row);
  return row;
}

/** @throws 404 */
export async function deleteFeedAddress(ctx: Context): Promise<void> {
  const row = await getFeedAddress(ctx);
  if (!(await repository.deleteFeedAddress(ctx.db, row))) await getFeedAddress(ctx);
}

/** As the API answers it. */
export async function presentFeedAddress(
  { env, platformOrigin }: Context,
  { id, createdAt }: FeedAddressRow,
): Promise<FeedAddress> {
  const { csv, rss } = await feedPaths(env, id);
  const urls = { csv_url: platformOrigin + csv, rss_url: platformOrigin + rss };
  return { ...urls, created_at: toTimestamp(createdAt) };
}
