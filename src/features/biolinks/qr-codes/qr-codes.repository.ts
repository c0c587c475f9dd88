import { and, desc, eq, lt } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { qrCodes } from "./qr-codes.table.ts";

export type QrCodeRow = Omit<typeof qrCodes.$inferSelect, "targetLinkId">;
export type QrCodeChanges = Partial<
  Pick<QrCodeRow, "name" | "target" | "style" | "status" | "revision" | "updatedAt">
>;

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(qrCodes.workspaceId, workspaceId), eq(qrCodes.id, id));
}

/** @throws a unique conflict when the id or the code exists. */
export async function insertQrCode(db: Database, row: QrCodeRow): Promise<void> {
  await db.insert(qrCodes).values(row);
}

export async function findQrCode(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<QrCodeRow | undefined> {
  return db.select().from(qrCodes).where(ofWorkspace(workspaceId, id)).get();
}

/** Newest first; one row more than the page holds. */
export async function listQrCodes(
  db: Database,
  workspaceId: string,
  page: PageRequest,
): Promise<QrCodeRow[]> {
  const before = page.beforeId ? lt(qrCodes.id, page.beforeId) : undefined;
  return db
    .select()
    .from(qrCodes)
    .where(and(eq(qrCodes.workspaceId, workspaceId), before))
    .orderBy(desc(qrCodes.id))
    .limit(page.limit + 1);
}

/** Changes a code if it still has this revision; the row as it is then, or undefined if not. */
export async function updateQrCode(
  db: Database,
  { workspaceId, id, revision }: QrCodeRow,
  changes: QrCodeChanges,
): Promise<QrCodeRow | undefined> {
  const [updated] = await db
    .update(qrCodes)
    .set(changes)
    .where(and(ofWorkspace(workspaceId, id), eq(qrCodes.revision, revision)))
    .returning();
  return updated;
}

/** Deletes a code if it still has this revision; whether it did. */
export async function deleteQrCode(
  db: Database,
  { workspaceId, id, revision }: QrCodeRow,
): Promise<boolean> {
  const deleted = await db
    .delete(qrCodes)
    .where(and(ofWorkspace(workspaceId, id), eq(qrCodes.revision, revision)))
    .returning({ id: qrCodes.id });
  return deleted.length > 0;
}
