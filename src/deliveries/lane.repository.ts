import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import { findWanted } from "../events/event-insertion.ports.ts";
import {
  EVENT_BYTES,
  isErased,
  joinEventIfThere,
  productOf,
  SENDABLE_DATA,
} from "../events/events.ports.ts";
import type { Database } from "../platform/db/client.ts";
import { type Brought, bringing } from "./brought-attempts.repository.ts";
import { deferredOf, hasDeferred } from "./deferral.repository.ts";
import type { DueDelivery } from "./delivery-attempt.ts";
import type { Lane, Target, TargetKind } from "./targets.ts";

/**
 * Payloads are read until they come to more than this; the one that does is read too. An isolate has
 * 128 MB for all its lanes.
 */
const MOST_BYTES_READ = 2_000_000;

/**
 * SQL, of the pending deliveries of a lane: ?1 to ?3 are bound with {@link ofLane}. The index is
 * pinned: by the workspace's, all that the target was ever sent would be read.
 */
const PENDING = `FROM target_deliveries AS deliveries INDEXED BY target_deliveries_due
  WHERE target_id = ?1 AND target_kind = ?2 AND workspace_id = ?3 AND status = 'pending'`;

export function ofLane({ ctx, target }: Pick<Lane, "ctx" | "target">): [string, string, string] {
  return [target.id, target.kind, ctx.workspaceId];
}

/** SQL of whether a delivery may be sent now, where {@link ofLane} is bound. */
export function mayBeSent({ port }: Lane): string {
  const features = [`'${port.feature}'`, productOf("deliveries.event")];
  return workspaceAllows("?3", features);
}

/** Parks up to `limit` of a lane's deliveries that may not be sent now; how many those were. */
export async function parkClosed(lane: Lane, limit: number): Promise<number> {
  const parked = await lane.ctx.db.$client
    .prepare(
      `UPDATE target_deliveries SET status = 'parked'
       WHERE target_id = ?1 AND id IN (SELECT id ${PENDING} AND NOT ${mayBeSent(lane)} LIMIT ?4)
       RETURNING id`,
    )
    .bind(...ofLane(lane), limit)
    .all();
  // `meta.changes` would count what triggers change, too.
  return parked.results.length;
}

/** Ends up to `limit` deliveries of a lane whose target is gone, deferred ones too; how many. */
export async function endForNobody(lane: Lane, limit: number): Promise<number> {
  const { results } = await lane.ctx.db.$client
    .prepare(
      `UPDATE target_deliveries SET status = 'failed', next_attempt_at = NULL
       WHERE target_id = ?1 AND id IN (SELECT id ${PENDING} UNION ALL
         SELECT id ${deferredOf("?1")} AND target_kind = ?2 AND workspace_id = ?3 LIMIT ?4)
       RETURNING id`,
    )
    .bind(...ofLane(lane), limit)
    .all();
  return results.length;
}

/** SQL, of a joined event whose data may not be sent: is that because its subject is erased? */
const WITHOUT_DATA_IS_ERASED = `iif(events.data IS NULL,
  ${isErased("events.subject", "events.workspace_id")}, 1)`;

/** What a lane brings to the database, and what it wants from it. */
export interface Exchange extends Brought {
  /** How many due deliveries are wanted; those that the lane has already are no others. */
  wanted: number;
  held: string[];
}

export interface Exchanged {
  due: DueDelivery[];
  /** There may be more that are due. */
  isMore: boolean;
  /** Some that are due may not be sent now. */
  isClosed: boolean;
  /** Undefined when it is gone. */
  target: Target | undefined;
  /** When the next delivery is due of those that are not due yet. */
  nextDue: number | undefined;
  /** Some recovery is not finished. */
  isRecovering: boolean;
  /** Some deliveries wait until the target has room for them in its share. */
  isDeferring: boolean;
  /** An event that was written, and that somebody wants. */
  wantedEvent: string | undefined;
}

/**
 * Brings attempts to the database and reads what is due, in one round trip and transaction. Made a
 * second time with the same attempts it changes nothing.
 */
export async function exchange(lane: Lane, asked: Exchange, now: number): Promise<Exchanged> {
  const d1 = lane.ctx.db.$client;
  const { db, workspaceId } = lane.ctx;
  const statements = bringing(lane, asked, now);
  const answers = await d1.batch<Record<string, unknown>>([
    ...statements,
    d1
      .prepare(
        `SELECT * FROM (SELECT due.*, coalesce(events.created_at, 0) AS occurredAt,
             ${SENDABLE_DATA} AS data, ${WITHOUT_DATA_IS_ERASED} AS isErased, coalesce(${EVENT_BYTES}, 0) AS bytes,
             sum(coalesce(${EVENT_BYTES}, 0)) OVER (ROWS UNBOUNDED PRECEDING) AS read
           FROM (SELECT id, workspace_id AS workspaceId, attempts_count + 1 AS number,
              event_id AS eventId, event, channel, test,
              attempts_count = 0 AND (test OR resend_of IS NOT NULL) AS manual,
              ${mayBeSent(lane)} AS isOpen
            ${PENDING} AND next_attempt_at <= ?4 AND id NOT IN (SELECT value FROM json_each(?5))
            ORDER BY next_attempt_at, id LIMIT ?6) AS due
           ${joinEventIfThere("due.eventId")})
         WHERE read - bytes <= ${MOST_BYTES_READ}`,
      )
      .bind(...ofLane(lane), now, JSON.stringify(asked.held), asked.wanted),
    lane.port.selection(db, workspaceId, lane.target.id),
    d1
      .prepare(
        `SELECT (SELECT min(next_attempt_at) ${PENDING} AND next_attempt_at > ?4) AS nextDue,
           EXISTS (SELECT 1 FROM recoveries INDEXED BY recoveries_open
             WHERE target_id = ?1 AND workspace_id = ?3 AND finished_at IS NULL) AS isRecovering,
           ${hasDeferred("?1")} AS isDeferring`,
      )
      .bind(...ofLane(lane), now),
  ]);
  const [due, targets, state] = answers.slice(statements.length).map(({ results }) => results);
  const rows = (due ?? []) as unknown as DueRow[];
  const row = targets?.[0];
  const { nextDue, isRecovering, isDeferring } = (state?.[0] ?? {}) as Partial<StateRow>;
  return {
    due: rows.filter(({ isOpen }) => isOpen).map(readDue),
    isMore:
      (asked.wanted > 0 && rows.length >= asked.wanted) ||
      (rows.at(-1)?.read ?? 0) > MOST_BYTES_READ,
    isClosed: rows.some(({ isOpen }) => !isOpen),
    target: row && lane.port.read(row),
    nextDue: nextDue ?? undefined,
    isRecovering: Boolean(isRecovering),
    isDeferring: Boolean(isDeferring),
    wantedEvent: findWanted(answers),
  };
}

interface StateRow {
  nextDue: number | null;
  isRecovering: 0 | 1;
  isDeferring: 0 | 1;
}

type DueRow = Omit<DueDelivery, "test" | "manual" | "isErased"> &
  Record<"test" | "manual" | "isOpen" | "isErased", 0 | 1> & { read: number };

function readDue(row: DueRow): DueDelivery {
  const { id, workspaceId, number, eventId, event, channel, occurredAt, data } = row;
  const [test, manual] = [row.test === 1, row.manual === 1];
  const due = { id, workspaceId, number, eventId, event, channel, test, manual, occurredAt, data };
  return { ...due, isErased: data === null && row.isErased === 1 };
}

/** A target's workspace and kind, as a pending delivery to it says; undefined: none is pending. */
export async function findPendingTarget(
  db: Database,
  targetId: string,
): Promise<{ workspaceId: string; kind: TargetKind } | undefined> {
  const row = await db.$client
    .prepare(
      `SELECT workspace_id AS workspaceId, target_kind AS kind
       FROM target_deliveries INDEXED BY target_deliveries_due
       WHERE target_id = ? AND status = 'pending' LIMIT 1`,
    )
    .bind(targetId)
    .first<{ workspaceId: string; kind: TargetKind }>();
  return row ?? undefined;
}
