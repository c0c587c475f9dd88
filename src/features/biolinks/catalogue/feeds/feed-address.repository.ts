import { and, eq } from "drizzle-orm";
import { workspaceAllows } from "../../../../access/workspaces/workspaces.ports.ts";
import type { Env } from "../../../../platform/config.ts";
import { type Database, sharedSession } from "../../../../platform/db/client.ts";
import { retryTransient } from "../../../../platform/db/retry.ts";
import { feedAddresses } from "./feed-address.table.ts";

export type FeedAddressRow = typeof feedAddresses.$inferSelect;

export async function findFeedAddress(
  db: Database,
  workspaceId: string,
): Promise<FeedAddressRow | undefined> {
  return db.select().from(feedAddresses).where(eq(feedAddresses.workspaceId, workspaceId)).get();
}

/** Gives a workspace an address; the one that it had leads nowhere from now on. */
export async function putFeedAddress(db: Database, row: FeedAddressRow): Promise<void> {
  const { id, createdAt } = row;
  await db
    .insert(feedAddresses)
    .values(row)
    .onConflictDoUpdate({ target: feedAddresses.workspaceId, set: { id, createdAt } });
}

/** Whether it had that one. */
export async function deleteFeedAddress(
  db: Database,
  { workspaceId, id }: FeedAddressRow,
): Promise<boolean> {
  const deleted = await db
    .delete(feedAddresses)
    .where(and(eq(feedAddresses.workspaceId, workspaceId), eq(feedAddresses.id, id)))
    .returning({ id: feedAddresses.id });
  return deleted.length > 0;
}

/** Whose feed an address is, if its workspace may show it. */
export async function findFeedOwner(env: Env, id: string): Promise<string | undefined> {
  // From the primary: an address that was taken back leads nowhere at once.
  const found = await retryTransient(() =>
    sharedSession(env, "primary")
      .prepare(
        `SELECT workspace_id AS workspaceId FROM feed_addresses
         WHERE id = ?1 AND ${workspaceAllows("feed_addresses.workspace_id", ["'biolinks'"])}`,
      )
      .bind(id)
      .first<{ workspaceId: string }>(),
  );
  return found?.workspaceId;
}
