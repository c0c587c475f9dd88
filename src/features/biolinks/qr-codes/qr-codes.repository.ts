import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { isMissing } from "../../../platform/db/faults.ts";
import { fileExists } from "../files/files.ports.ts";
import { qrCodes } from "./qr-codes.table.ts";

export type QrCodeRow = Omit<
  typeof qrCodes.$inferSelect,
  "targetLinkId" | "targetPageId" | "logoFileId"
>;
export type QrCodeChanges = Partial<
  Pick<QrCodeRow, "name" | "target" | "style" | "status" | "revision" | "updatedAt">
>;

function ofWorkspace(workspaceId: string, id: string) {
  return and(eq(qrCodes.workspaceId, workspaceId), eq(qrCodes.id, id));
}

const IF_OWN = sql.raw(`iif(${fileExists("named.logo", "named.workspace_id")}, named.style, NULL)`);

/** What is written: no style, which its column refuses, when its logo is no file of the workspace by now. */
function onlyOwnLogo<Values extends Pick<QrCodeChanges, "style">>(
  values: Values,
  workspaceId: string,
): Values {
  const { style } = values;
  if (!style?.logo) return values;
  const named = sql`(SELECT ${style.logo} AS logo, ${JSON.stringify(style)} AS style, ${workspaceId} AS workspace_id)`;
  return { ...values, style: sql`(SELECT ${IF_OWN} FROM ${named} AS named)` };
}

/** Whether a code was not written, as the file of its logo is gone. */
export function isLogoGone(error: unknown): boolean {
  return isMissing(error, "qr_codes.style");
}

/** The first codes that have a file for their logo, in the order of their ids. */
export async function findCodesWithLogo(
  db: Database,
  workspaceId: string,
  fileId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    // Not by the index of the workspace's codes, of which there may be many.
    .where(and(eq(qrCodes.logoFileId, fileId), sql`+${qrCodes.workspaceId} = ${workspaceId}`))
    .orderBy(qrCodes.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** @throws a unique conflict when the id or the code exists. */
export async function insertQrCode(db: Database, row: QrCodeRow): Promise<void> {
  await db.insert(qrCodes).values(onlyOwnLogo(row, row.workspaceId));
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
    .set(onlyOwnLogo(changes, workspaceId))
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
