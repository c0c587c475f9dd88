import {
  countingNewDeliveries,
  deliveryAllowance,
  readAllowance,
} from "../access/usage/usage.ports.ts";
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
import { joinDelivery } from "./deliveries.ports.ts";
import type { TargetKind, TargetPort, TargetRef } from "./targets.ts";

/** Up to `limit` events of a workspace that wait, and how many deliveries it may be given now. */
export async function findWaiting(
  { db, workspaceId }: Context,
  limit: number,
  time: number,
): Promise<NextEvents & { allowed: number }> {
  const [allowance, events] = await db.$client.batch([
    deliveryAllowance(db, workspaceId, time),
    nextEvents(db, workspaceId, limit),
  ]);
  return {
    allowed: readAllowance(allowance?.results ?? []),
    ...readNextEvents(events?.results ?? [], limit),
  };
}

/**
 * By hand: the rows travel as one parameter, since D1 takes 100 of them. While the workspace is
 * without the feature of the targets, what is made is parked.
 */
function insertDeliveriesTo(kind: TargetKind, { joinLive, feature }: TargetPort): string {
  const maySend = workspaceAllows("?3", [`'${feature}'`]);
  return `
    INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, listed, event,
      channel, test, status, attempts_count, next_attempt_at, created_at, attempts)
    SELECT row.value ->> 1, row.value ->> 0, events.workspace_id, '${kind}', events.id, 1, events.type,
      events.channel, events.test, CASE WHEN ${maySend} THEN 'pending' ELSE 'parked' END, 0, ?2, ?2,
      '{}'
    FROM json_each(?1) AS row CROSS ${joinUnannounced("row.value ->> 2", "?3")}
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
 * parked instead. The mark is what keeps an event from being fanned out twice. Answers the target of each delivery that was made; `isParked`: nothing may be sent
 * to it now.
 */
export async function insertDeliveries(
  { db, workspaceId }: Context,
  eventIds: string[],
  deliveries: NewDeliveries[],
  time: number,
): Promise<(TargetRef & { isParked: boolean })[]> {
  const d1 = db.$client;
  const wanted = deliveries.filter(({ made }) => made.length > 0);
  const all = JSON.stringify(wanted.flatMap(({ made }) => made));
  const count = countingNewDeliveries(db, workspaceId, all, { made: MADE, time });
  const answers = await d1.batch<TargetRef & { status: string }>([
    count.before,
    ...wanted.map(({ kind, port, made }) =>
      d1.prepare(insertDeliveriesTo(kind, port)).bind(JSON.stringify(made), time, workspaceId),
    ),
    count.after,
    eventMark(db, workspaceId, listOf(eventIds, wanted), time),
  ]);
  const made = answers.flatMap(({ results }) => results ?? []);
  return made.map(({ kind, id, status }) => ({ kind, id, isParked: status === "parked" }));
}
