import { hasNotEnded, joinOpenDelivery } from "../../../deliveries/deliveries.ports.ts";
import { findStopping, isExhausted } from "../../../deliveries/ended-attempts.ts";
import { noteConduct } from "../../../deliveries/target-conduct.ports.ts";
import { attemptCounts } from "../../../deliveries/target-metrics.ports.ts";
import type { EndedAttempt } from "../../../deliveries/targets.ts";
import {
  type EventAbout,
  IS_WANTED,
  insertEventsFrom,
} from "../../../events/event-insertion.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import type { Database } from "../../../platform/db/client.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { endpointEvents } from "./endpoints.events.ts";

/** An endpoint of a workspace. */
interface Ref {
  workspaceId: string;
  id: string;
}

/**
 * What keeps how attempts at an endpoint ended: its metrics, since when it fails, whether it is
 * paused; and the events of that. Made a second time, it changes nothing more: attempts that have
 * their end in the database stop nothing and are not counted, deliveries that have theirs make no
 * event.
 */
export function noteEnds(
  db: Database,
  ref: Ref,
  ended: EndedAttempt[],
  now: number,
): D1PreparedStatement[] {
  const stopping = findStopping(ended);
  return [
    ...attemptCounts(db, ref, ended),
    ...noteExhausted(db, ref, ended.filter(isExhausted), now),
    ...(stopping ? noteStop(db, ref, stopping, now) : []),
    ...noteConduct(db, "webhook_endpoints", ref, ended, now),
  ];
}

const INSERT_EXHAUSTED = insertEventsFrom(
  `json_each(?1) AS event CROSS ${joinOpenDelivery("?3", "event.value ->> '$.data.id'", "?2")}
   WHERE ${IS_WANTED}`,
);

/** Tells of deliveries that failed for good, unless nobody wants to know. */
function noteExhausted(
  db: Database,
  ref: Ref,
  exhausted: EndedAttempt[],
  now: number,
): D1PreparedStatement[] {
  if (exhausted.length === 0) return [];
  const events = exhausted.map(({ deliveryId, number, eventId, error, ...ended }): EventAbout => {
    const data = {
      id: deliveryId,
      endpoint: ref.id,
      event: ended.event,
      event_id: eventId,
      channel: ended.channel,
      attempts_count: number,
      status_code: ended.statusCode,
      error: error ?? "",
      exhausted_at: toTimestamp(now),
    };
    return { ...newEvent(ref, endpointEvents.exhausted, { channel: "all", data }), about: ref.id };
  });
  return [
    db.$client.prepare(INSERT_EXHAUSTED).bind(JSON.stringify(events), ref.workspaceId, ref.id),
  ];
}

/**
 * SQL of whether an attempt pauses the endpoint ?1 of ?2: ?3 says why, ?4 when it began, ?5 and ?6
 * which it is. An endpoint that was changed since then may lead elsewhere, have another secret or be
 * wanted again: the next attempt tells. One that was switched on since has begun to fail later, if at all.
 */
const IS_PAUSED_BY = `id = ?1 AND workspace_id = ?2 AND enabled = 1
  AND (?3 = 'failing' OR updated_at <= ?4)
  AND (?3 <> 'failing' OR failing_since <= ?4) AND ${hasNotEnded("?1", "?5", "?6")}`;

/** SQL of the URL's host, with its port. */
const HOST = (() => {
  const rest = "replace(replace(substr(url, instr(url, '://') + 3), '?', '/'), '#', '/')";
  return `substr(${rest}, 1, instr(${rest} || '/', '/') - 1)`;
})();

// Before the endpoint is paused: afterwards nobody could tell whether this attempt did it.
const INSERT_DISABLED = insertEventsFrom(
  `(SELECT json_set(?7, '$.data.name', name, '$.data.host', ${HOST}) AS value
    FROM webhook_endpoints WHERE ${IS_PAUSED_BY}) AS event WHERE ${IS_WANTED}`,
);

const PAUSE = `UPDATE webhook_endpoints SET enabled = 0, disabled_reason = ?3,
  revision = lower(hex(randomblob(16))), updated_at = ?7 WHERE ${IS_PAUSED_BY}`;

/** Pauses the endpoint, and tells of it unless nobody wants to know. */
function noteStop(db: Database, ref: Ref, ended: EndedAttempt, now: number): D1PreparedStatement[] {
  const { stop, startedAt, deliveryId, number } = ended;
  if (!stop) return [];
  // The statement fills in what only the row knows.
  const data = { id: ref.id, name: "", host: "", reason: stop, disabled_at: toTimestamp(now) };
  const row = newEvent(ref, endpointEvents.disabled, { channel: "all", data });
  const event: EventAbout = { ...row, about: ref.id };
  const bound = [ref.id, ref.workspaceId, stop, startedAt, deliveryId, number];
  return [
    db.$client.prepare(INSERT_DISABLED).bind(...bound, JSON.stringify(event)),
    db.$client.prepare(PAUSE).bind(...bound, now),
  ];
}
