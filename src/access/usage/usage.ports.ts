/** What a workspace's plan has room for, for other statements. */
import type { Context } from "../../platform/context/context.ts";
import type { Database } from "../../platform/db/client.ts";
import { joinWorkspace } from "../workspaces/workspaces.ports.ts";

/** People's clicks of a workspace in so many months (UTC, since the year 0) from a first one on. */
export type CountedClicks = (
  ctx: Context,
  months: [first: number, count: number],
) => Promise<number[]>;

/** A workspace's usage beside what its plan allows. */
export const USED = `FROM workspace_usage AS used CROSS ${joinWorkspace("used.id")}
  CROSS JOIN plan_limits AS plan ON plan.plan = workspaces.plan`;

/** SQL: whether a workspace, by the SQL of its id, has room. Tables whose triggers ask need it not. */
export function hasRoom(workspaceId: string): string {
  return `NOT EXISTS (SELECT 1 ${USED}
    WHERE used.id = ${workspaceId} AND used.stored_bytes > plan.stored_bytes)`;
}

/** What a workspace's plan still allows of files. */
interface FileRoom {
  files: number;
  /** Of the files themselves. */
  bytes: number;
  /** Of all that is stored besides, a file's row too. */
  storedBytes: number;
}

export async function findFileRoom(db: Database, workspaceId: string): Promise<FileRoom> {
  const room = await db.$client
    .prepare(
      `SELECT plan.files - used.files AS files, plan.file_bytes - used.file_bytes AS bytes,
         plan.stored_bytes - used.stored_bytes AS storedBytes
       ${USED} WHERE used.id = ?1`,
    )
    .bind(workspaceId)
    .first<FileRoom>();
  return room ?? { files: 0, bytes: 0, storedBytes: 0 };
}

/** How many products a workspace's plan still allows. */
export async function findProductRoom(db: Database, workspaceId: string): Promise<number> {
  const room = await db.$client
    .prepare(`SELECT plan.products - used.products AS products ${USED} WHERE used.id = ?1`)
    .bind(workspaceId)
    .first<{ products: number }>();
  return Math.max(room?.products ?? 0, 0);
}

const DAY_MILLISECONDS = 86_400_000;

/**
 * Counts bytes that a workspace is about to upload, if it may: in a day (UTC) twice what its plan
 * has room for, as what it deletes stays in R2 for a day and more. @returns whether it may
 */
export async function countUpload(
  db: Database,
  workspaceId: string,
  bytes: number,
  time: number,
): Promise<boolean> {
  const { meta } = await db.$client
    .prepare(
      `UPDATE workspace_usage SET upload_day = ?3,
         uploaded_bytes = ?2 + iif(upload_day = ?3, uploaded_bytes, 0)
       WHERE id = ?1 AND EXISTS (SELECT 1 ${USED} WHERE used.id = ?1
         AND ?2 + iif(used.upload_day = ?3, used.uploaded_bytes, 0) <= 2 * plan.file_bytes)`,
    )
    .bind(workspaceId, bytes, Math.floor(time / DAY_MILLISECONDS))
    .run();
  return meta.changes > 0;
}

/** Takes back what {@link countUpload} counted at a time: it was not uploaded. */
export async function uncountUpload(
  db: Database,
  workspaceId: string,
  bytes: number,
  time: number,
): Promise<void> {
  await db.$client
    .prepare(
      `UPDATE workspace_usage SET uploaded_bytes = max(uploaded_bytes - ?2, 0)
       WHERE id = ?1 AND upload_day = ?3`,
    )
    .bind(workspaceId, bytes, Math.floor(time / DAY_MILLISECONDS))
    .run();
}

/**
 * SQL, where {@link USED} is: what is not refused at the plan's limit (events, deliveries) has
 * taken as much again.
 */
export const IS_OVERFULL = "used.stored_bytes > 2 * plan.stored_bytes";

/**
 * The statement that aborts a batch of an overfull workspace: for one that adds only rows which no
 * trigger refuses. What it sets has a trigger abort; otherwise it writes nothing.
 */
export function overfullRefusal(db: Database, workspaceId: string): D1PreparedStatement {
  return db.$client.prepare(refusalIfOverfull("?1")).bind(workspaceId);
}

/** SQL of that statement, by the SQL of the workspace's id: null refuses nothing. */
export function refusalIfOverfull(workspaceId: string): string {
  return `UPDATE workspace_usage SET batch_bytes = 1 WHERE id = ${workspaceId}
    AND EXISTS (SELECT 1 ${USED} WHERE used.id = workspace_usage.id AND ${IS_OVERFULL})`;
}
