import {
  type DeliveryAllowance,
  deliveryAllowance,
  pendingBudget,
  readAllowance,
} from "../access/usage/delivery-budget.ports.ts";
import { countingNewDeliveries } from "../access/usage/usage-counting.ports.ts";
import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import {
  eventMark,
  joinUnannounced,
  type ListedDelivery,
  type NextEvents,
  nextEvents,
  readNextEvents,
} from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import { EVER, hasDeferred, roomOf } from "./deferral.repository.ts";
import { joinDelivery } from "./deliveries.ports.ts";
import type { TargetKind, TargetPort, TargetRef } from "./targets.ts";

/** Up to `limit` events of a workspace that wait, and how many deliveries it may be given now. */
export async function findWaiting(
  { db, workspaceId }: Context,
  limit: number,
  time: number,
): Promise<NextEvents & DeliveryAllowance> {
  const [allowance, events] = await db.$client.batch([
    deliveryAllowance(db, workspaceId, time),
    nextEvents(db, workspaceId, limit),
  ]);
  return {
    ...readAllowance(allowance?.results ?? []),
    ...readNextEvents(events?.results ?? [], limit),
  };
}

/** How the rows to make, ?1, are read, where there is room for all of them. */
const ALL_ROWS = {
  with: "",
  source: "json_each(?1) AS row",
  isDeferred: hasDeferred("row.value ->> 1"),
  json: ({ made }: NewDeliveries, _count: number) => JSON.stringify(made),
};

/**
 * The same where each target has only its share: by targets, each with its rows in order, and with
 * how many there are of all. It reads some rows more, so it is not the rule.
 */
const ROWS_IN_SHARES: typeof ALL_ROWS = {
  with: `WITH allotment AS MATERIALIZED (${pendingBudget("?3")}),
    shared AS MATERIALIZED (SELECT value -> 1 AS made,
        CASE WHEN ${hasDeferred("value ->> 0")} THEN 0
          ELSE ${roomOf("value ->> 0", "(value ->> 2)", EVER)} END AS room
      FROM json_each(?1) CROSS JOIN allotment)`,
  source: "shared CROSS JOIN json_each(shared.made) AS row",
  isDeferred: "row.key >= shared.room",
  json({ made }, count) {
    const byTarget = Map.groupBy(made, ([, targetId]) => targetId);
    return JSON.stringify([...byTarget].map(([targetId, own]) => [targetId, own, count]));
  },
};

/**
 * By hand: the rows travel as one parameter, since D1 takes 100 of them. While the workspace is
 * without the feature of the targets, what is made is parked.
 */
function insertDeliveriesTo(
  kind: TargetKind,
  { joinLive, feature }: TargetPort,
  rows: typeof ALL_ROWS,
): string {
  const maySend = workspaceAllows("?3", [`'${feature}'`]);
  return `${rows.with}
    INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, listed, event,
      channel, test, status, attempts_count, next_attempt_at, created_at, attempts)
    SELECT row.value ->> 1, row.value ->> 0, events.workspace_id, '${kind}', events.id, 1, events.type,
      events.channel, events.test, CASE WHEN NOT ${maySend} THEN 'parked'
        WHEN ${rows.isDeferred} THEN 'deferred' ELSE 'pending' END, 0, ?2, ?2, '{}'
    FROM ${rows.source} CROSS ${joinUnannounced("row.value ->> 2", "?3")}
    ${joinLive("row.value ->> 1", "events.workspace_id", "?2")}
    WHERE true RETURNING target_kind AS kind, target_id AS id, status`;
}

/** Of `[delivery id, target id, event id]` each, ?1, those that were made. */
const MADE = `json_each(?1) AS row CROSS ${joinDelivery("row.value ->> 1", "row.value ->> 0")}`;

/** Deliveries to make to the targets of one kind, `[delivery id, target id, event id]` each. */
export interface NewDeliveries {
  kind: TargetKind;
  port: TargetPort;
  made: [string, string, string][];
}

/** By its id, what each event is to list of its deliveries. */
function listOf(eventIds: string[], wanted: NewDeliveries[]): Record<string, ListedDelivery[]> {
  const list: Record<string, ListedDelivery[]> = {};
  for (const id of eventIds) list[id] = [];
  for (const { made } of wanted) {
    for (const [id, targetId, eventId] of made) list[eventId]?.push([targetId, id]);
  }
  return list;
}

/**
 * Makes events' deliveries and marks the events, both or neither; those that may not be told are
 * parked instead. The mark is what keeps an event from being fanned out twice. With no more than
 * `free` that may be pending, each target has only its share. Answers the target of each delivery
 * that was made; `isPending`: its lane may send it now.
 */
export async function insertDeliveries(
  { db, workspaceId }: Context,
  eventIds: string[],
  deliveries: NewDeliveries[],
  { free, time }: { free: number; time: number },
): Promise<(TargetRef & { isPending: boolean })[]> {
  const d1 = db.$client;
  const wanted = deliveries.filter(({ made }) => made.length > 0);
  const rows = wanted.flatMap(({ made }) => made);
  const all = JSON.stringify(rows);
  const inserted = rows.length > free ? ROWS_IN_SHARES : ALL_ROWS;
  const count = countingNewDeliveries(db, workspaceId, all, { made: MADE, time });
  const answers = await d1.batch<TargetRef & { status: string }>([
    count.before,
    ...wanted.map((one) =>
      d1
        .prepare(insertDeliveriesTo(one.kind, one.port, inserted))
        .bind(inserted.json(one, rows.length), time, workspaceId),
    ),
    count.after,
    eventMark(db, workspaceId, listOf(eventIds, wanted), time),
  ]);
  const made = answers.flatMap(({ results }) => results ?? []);
  return made.map(({ kind, id, status }) => ({ kind, id, isPending: status === "pending" }));
}
