import { eventMark, joinUnannounced } from "../events/events.ports.ts";
import type { Context } from "../platform/context/context.ts";
import type { TargetKind, TargetPort } from "./targets.ts";

/** By hand: the rows travel as one parameter, since D1 takes 100 of them. */
function insertDeliveriesTo(kind: TargetKind, { joinLive }: TargetPort): string {
  return `
    INSERT INTO deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
      test, status, attempts_count, next_attempt_at, created_at)
    SELECT row.value ->> 0, events.workspace_id, '${kind}', row.value ->> 1, events.id, events.type,
      events.channel, events.test, 'pending', 0, ?2, ?2
    FROM json_each(?1) AS row ${joinUnannounced("row.value ->> 2")}
    ${joinLive("row.value ->> 1", "events.workspace_id")}
    WHERE true ON CONFLICT DO NOTHING`;
}

/** Deliveries to make to the targets of one kind, `[delivery id, target id, event id]` each. */
export interface NewDeliveries {
  kind: TargetKind;
  port: TargetPort;
  made: [string, string, string][];
}

/** Makes events' deliveries and marks the events, both or neither. */
export async function insertDeliveries(
  { db }: Context,
  eventIds: string[],
  deliveries: NewDeliveries[],
  time: number,
): Promise<void> {
  const d1 = db.$client;
  await d1.batch([
    ...deliveries
      .filter(({ made }) => made.length > 0)
      .map(({ kind, port, made }) =>
        d1.prepare(insertDeliveriesTo(kind, port)).bind(JSON.stringify(made), time),
      ),
    eventMark(db, eventIds, time),
  ]);
}
