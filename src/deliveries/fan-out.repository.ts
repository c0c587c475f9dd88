import { workspaceAllows } from "../access/workspaces/workspaces.ports.ts";
import { eventMark, eventWith, isUnannounced } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import type { TargetKind, TargetPort, TargetRef } from "./targets.ts";

/**
 * By hand: the rows travel as one parameter, since D1 takes 100 of them. While the workspace is
 * without the feature of the targets, what is made is parked.
 */
function insertDeliveriesTo(kind: TargetKind, { joinLive, feature }: TargetPort): string {
  const maySend = workspaceAllows("?4", [`'${feature}'`]);
  return `
    INSERT INTO deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
      test, status, attempts_count, next_attempt_at, created_at)
    SELECT row.value ->> 0, events.workspace_id, '${kind}', row.value ->> 1, events.id, events.type,
      events.channel, events.test, CASE WHEN ${maySend} THEN 'pending' ELSE 'parked' END, 0, ?3, ?3
    ${eventWith("json_each(?2) AS row")}
    ${joinLive("row.value ->> 1", "events.workspace_id", "?3")}
    WHERE ${isUnannounced("?1", "?4")} ON CONFLICT DO NOTHING
    RETURNING target_kind AS kind, target_id AS id, status`;
}

/** Deliveries to make of an event to the targets of one kind, `[delivery id, target id]` each. */
export interface NewDeliveries {
  kind: TargetKind;
  port: TargetPort;
  made: [string, string][];
}

/**
 * Makes an event's deliveries and marks it, both or neither; while it may not be told, it is parked
 * instead. Answers the targets that something is to be sent to now.
 */
export async function insertDeliveries(
  { db, workspaceId }: Context,
  eventId: string,
  deliveries: NewDeliveries[],
  time: number,
): Promise<TargetRef[]> {
  const d1 = db.$client;
  const answers = await d1.batch<TargetRef & { status: string }>([
    ...deliveries
      .filter(({ made }) => made.length > 0)
      .map(({ kind, port, made }) =>
        d1
          .prepare(insertDeliveriesTo(kind, port))
          .bind(eventId, JSON.stringify(made), time, workspaceId),
      ),
    eventMark(db, workspaceId, eventId, time),
  ]);
  const made = answers.flatMap(({ results }) => results);
  return made.filter(({ status }) => status === "pending").map(({ kind, id }) => ({ kind, id }));
}
