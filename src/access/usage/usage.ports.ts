/** What other statements need of a workspace's usage, and of the limits of its plan. */
import type { Context } from "../../platform/context/context.ts";
import type { Database } from "../../platform/db/client.ts";
import { joinWorkspace } from "../workspaces/workspaces.ports.ts";

/** People's clicks of a workspace in so many months (UTC, since the year 0) from a first one on. */
export type CountedClicks = (
  ctx: Context,
  months: [first: number, count: number],
) => Promise<number[]>;

/** A workspace's usage beside what its plan allows. */
const USED = `FROM workspace_usage AS used CROSS ${joinWorkspace("used.id")}
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
const IS_OVERFULL = "used.stored_bytes > 2 * plan.stored_bytes";

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

/** Rows of a table that a batch writes, which it gets as ?1. */
interface Counted {
  /** The table's place in the order of the recount. */
  stage: number;
  /** SQL of what one takes. */
  bytes: string;
  id: string;
  /** SQL of whether one waits, where that is asked. */
  isWaiting?: string;
  /** What follows FROM. */
  source: string;
}

export interface BatchCount {
  /** Rows that are written or replaced. If they take more than before, the batch needs room. */
  records: Counted;
  /** Contacts that are new: each counts as one. */
  contacts: Counted;
  /** Rows that are new, and need no room. */
  events: Counted;
}

/**
 * SQL of what a batch's rows take, `bytes`, and `seen`: those that the recount, in the workspace ?2,
 * has behind it; `n`, how many they are; `waiting`, how many are pending deliveries. The triggers say
 * the same of one row.
 */
function takenBy({ stage, bytes, id, isWaiting = "0", source }: Counted): string {
  const isSeen = `CASE WHEN stage = 8 THEN ?2 > position
    ELSE stage > ${stage} OR (stage = ${stage} AND ${id} <= position) END`;
  return `(SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(bytes * isSeen), 0) AS seen,
      count(*) AS n, coalesce(sum(isWaiting), 0) AS waiting FROM (
    SELECT ${bytes} AS bytes, ${isSeen} AS isSeen, ${isWaiting} AS isWaiting
    FROM (SELECT stage, position FROM usage_recount WHERE id = 1) CROSS JOIN ${source}))`;
}

/**
 * Statements for before and after those of a batch that writes many rows of a workspace: they
 * count all of them at once, where the triggers would write once for each.
 */
export function countingBatch(
  db: Database,
  workspaceId: string,
  json: string,
  { records, contacts, events }: BatchCount,
): { before: D1PreparedStatement; after: D1PreparedStatement[] } {
  const set = (changes: string, of: Counted, more = "") =>
    db.$client
      .prepare(
        `UPDATE workspace_usage SET ${changes} FROM ${takenBy(of)} AS taken ${more} WHERE id = ?2`,
      )
      .bind(json, workspaceId);
  return {
    before: set(
      "batch_bytes = -taken.bytes, recounted_bytes = recounted_bytes - taken.seen",
      records,
    ),
    after: [
      // A trigger aborts the batch here if the workspace has no room.
      set(
        `batch_bytes = batch_bytes + taken.bytes, recounted_bytes = recounted_bytes + taken.seen`,
        records,
      ),
      set(
        `stored_bytes = max(stored_bytes + batch_bytes + taken.bytes, 0), batch_bytes = NULL,
         recounted_bytes = recounted_bytes + taken.seen,
         contacts = contacts + made.bytes, recounted_contacts = recounted_contacts + made.seen`,
        events,
        `CROSS JOIN ${takenBy(contacts)} AS made`,
      ),
    ],
  };
}

/** As the recount orders deliveries, and the triggers number their table. */
const DELIVERIES = {
  stage: 7,
  bytes: "deliveries.bytes",
  id: "deliveries.target_id || deliveries.id",
  isWaiting: "deliveries.status = 'pending'",
};

interface Around {
  before: D1PreparedStatement;
  after: D1PreparedStatement;
}

const COUNT_NO_ROW = "UPDATE workspace_usage SET batch_bytes = 0 WHERE id = ?2 AND ?1 IS NOT NULL";

/**
 * Statements for before and after one that writes many new events of a workspace: they count all at
 * once, as the triggers count no row while `batch_bytes` stands. `source` is SQL of those that were
 * written, `events`, of ?1.
 */
export function countingNewEvents(
  db: Database,
  workspaceId: string,
  json: string,
  source: string,
): Around {
  const taken = takenBy({ stage: 4, bytes: "events.bytes", id: "events.id", source });
  const write = (sql: string) => db.$client.prepare(sql).bind(json, workspaceId);
  return {
    before: write(COUNT_NO_ROW),
    after: write(`UPDATE workspace_usage SET batch_bytes = NULL,
        stored_bytes = stored_bytes + taken.bytes, recounted_bytes = recounted_bytes + taken.seen
      FROM ${taken} AS taken WHERE id = ?2`),
  };
}

/**
 * Statements for before and after those that make deliveries of a workspace: they count all at
 * once. `made` is SQL that joins those that were made to a json_each of ?1, `deliveries`.
 */
export function countingNewDeliveries(
  db: Database,
  workspaceId: string,
  json: string,
  { made, time }: { made: string; time: number },
): Around {
  const before = db.$client.prepare(COUNT_NO_ROW).bind(json, workspaceId);
  const after = db.$client
    .prepare(
      `UPDATE workspace_usage SET batch_bytes = NULL, stored_bytes = stored_bytes + taken.bytes,
         recounted_bytes = recounted_bytes + taken.seen,
         deliveries = deliveries + taken.n,
         pending_deliveries = pending_deliveries + taken.waiting,
         deliveries_in_hour = taken.n + iif(hour < ?3, 0, deliveries_in_hour),
         hour = max(hour, ?3)
       FROM ${takenBy({ ...DELIVERIES, source: made })} AS taken WHERE id = ?2`,
    )
    .bind(json, workspaceId, hourOf(time));
  return { before, after };
}

/**
 * Statements for before and after one that moves many deliveries of a workspace on: they count at
 * once what these take, and how many wait. `source` is SQL of those deliveries, `deliveries`.
 */
export function countingMovedDeliveries(
  write: (sql: string) => D1PreparedStatement,
  source: string,
): Around {
  const taken = takenBy({ ...DELIVERIES, source });
  const count = (change: string) =>
    write(`UPDATE workspace_usage SET ${change} FROM ${taken} AS taken WHERE id = ?2`);
  return {
    before: count(`batch_bytes = -taken.bytes, recounted_bytes = recounted_bytes - taken.seen,
      pending_deliveries = pending_deliveries - taken.waiting`),
    after: count(`stored_bytes = max(stored_bytes + batch_bytes + taken.bytes, 0),
      batch_bytes = NULL, recounted_bytes = recounted_bytes + taken.seen,
      pending_deliveries = max(pending_deliveries + taken.waiting, 0)`),
  };
}

const HOUR_MILLISECONDS = 3_600_000;

/** As {@link isPaced} takes it. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MILLISECONDS);
}

/**
 * SQL of how many deliveries a workspace may be given in an hour, by the SQL of it. How many are
 * pending is no matter: what is too much for one target is deferred, so that others go on.
 */
function allowance(hour: string): string {
  return `min(plan.deliveries_an_hour
    - CASE WHEN used.hour < ${hour} THEN 0 ELSE used.deliveries_in_hour END,
    CASE WHEN ${IS_OVERFULL} THEN 0 ELSE plan.deliveries_an_hour END)`;
}

/** SQL, where {@link USED} is, of how many may be pending before each target has only its share. */
const PENDING_FREE = "plan.pending_deliveries / 2 - used.pending_deliveries";

/** A target's share at most, and at least: the latter however many other targets' are pending. */
export const PENDING_SHARE = { most: 1000, least: 100 };

/**
 * SQL of one row: how many of a workspace's deliveries may be pending yet before each of its targets
 * has only its share, `free`, and that `share`: half of what is left, so that no number of slow
 * targets takes all. Of a workspace that is not counted yet: any number.
 */
export function pendingBudget(workspaceId: string): string {
  return `SELECT coalesce(max(free), 1e9) AS free, coalesce(max(share), ${PENDING_SHARE.most}) AS share
    FROM (SELECT ${PENDING_FREE} AS free, max(
        min((plan.pending_deliveries - used.pending_deliveries) / 2, ${PENDING_SHARE.most}),
        min(plan.pending_deliveries / 4, ${PENDING_SHARE.least}), 1) AS share
      ${USED} WHERE used.id = ${workspaceId})`;
}

/** SQL: whether a workspace has had its deliveries for now, by the SQL of its id and of the hour. */
export function isPaced(workspaceId: string, hour: string): string {
  return `EXISTS (SELECT 1 ${USED}
    WHERE used.id = ${workspaceId} AND ${allowance(hour)} <= 0)`;
}

/** How many deliveries a workspace may be given now. */
export interface DeliveryAllowance {
  allowed: number;
  /** How many of them may be pending before each target has only its share; a hint. */
  free: number;
}

/** The statement that asks how many deliveries a workspace may be given now, for a batch. */
export function deliveryAllowance(
  db: Database,
  workspaceId: string,
  time: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `SELECT ${allowance("?2")} AS allowed, ${PENDING_FREE} AS free ${USED} WHERE used.id = ?1`,
    )
    .bind(workspaceId, hourOf(time));
}

/** What {@link deliveryAllowance} was answered. One that is not counted yet: any number. */
export function readAllowance(rows: unknown[]): DeliveryAllowance {
  const [row] = rows as DeliveryAllowance[];
  return row ?? { allowed: Number.MAX_SAFE_INTEGER, free: Number.MAX_SAFE_INTEGER };
}

export async function findDeliveryAllowance(
  db: Database,
  workspaceId: string,
  time: number,
): Promise<DeliveryAllowance> {
  return readAllowance((await deliveryAllowance(db, workspaceId, time).all()).results);
}
