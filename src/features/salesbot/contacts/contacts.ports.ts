/** What other features' statements need of the contacts table. */
import { insertEventsFrom } from "../../../events/event-insertion.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { shownStage, shownTags } from "./contact-labels.repository.ts";
import { MAX_SHORT_VALUE_BYTES, MAX_TOLD_CUSTOM_BYTES } from "./contact-snapshot.ts";
import { CHANNEL_OF_NONE, type ContactEventData, contactEvents } from "./contacts.events.ts";
import { isNotListed } from "./opt-outs.repository.ts";

/** SQL of a contact of a workspace, by the SQL of both their ids: the source of an INSERT. */
export function existingContact(id: string, workspaceId: string): string {
  return `FROM contacts WHERE contacts.id = ${id} AND contacts.workspace_id = ${workspaceId}`;
}

/**
 * SQL of whether a contact stands, by its id, its workspace and, if it is to be as it was written,
 * its revision: the parameters from `first` on.
 */
export function standingContact(first: number, isWritten: boolean): string {
  const revision = isWritten ? ` AND contacts.revision = ?${first + 2}` : "";
  return `EXISTS (SELECT 1 ${existingContact(`?${first}`, `?${first + 1}`)}${revision})`;
}

/** SQL of what a contact takes with its tags, by the name of its row. */
export function contactBytes(contact: string): string {
  return `${contact}.bytes
    + 230 * (SELECT count(*) FROM contact_tags WHERE contact_id = ${contact}.id)`;
}

/** SQL: the contact may be written to. What it goes by is `identities`, SQL of a JSON array. */
export function mayBeWrittenTo(workspaceId: string, identities: string): string {
  return `contacts.status = 'active' AND ${isNotListed(workspaceId, identities)}`;
}

/**
 * The statements that note when a contact wrote, and tell that it changed, for the batch that
 * inserts its message. `holds` is SQL of whether that was inserted: ?4 is the message's id.
 */
export function contactHeardFrom(
  db: Database,
  message: { id: string; workspaceId: string; contactId: string; createdAt: number },
  holds: string,
  eventId: string,
): D1PreparedStatement[] {
  const { id, workspaceId, contactId, createdAt } = message;
  const found = `contacts.id = ?1 AND contacts.workspace_id = ?2 AND ${holds}`;
  return [
    db.$client
      .prepare(
        `UPDATE contacts SET last_inbound_at = max(coalesce(last_inbound_at, 0), ?3),
           last_active_at = max(coalesce(last_active_at, 0), ?3),
           revision = lower(hex(randomblob(16))), updated_at = ?3
         WHERE ${found}`,
      )
      .bind(contactId, workspaceId, createdAt, id),
    db.$client
      .prepare(
        insertEventsFrom(
          `contacts, json_each(json_array(json_object(
             'id', ?5, 'workspaceId', ?2, 'type', ?6, 'createdAt', ?3, 'subject', ?1,
             'channel', coalesce(contacts.channel, '${CHANNEL_OF_NONE}'),
             'data', ${eventDataSql(HEARD)}))) AS event WHERE ${found}`,
        ),
      )
      .bind(contactId, workspaceId, createdAt, id, eventId, contactEvents.updated.name),
  ];
}

/** A time as the API writes it. Before 1970 the remainder is negative, and rounds the wrong way. */
function timestampSql(column: string): string {
  const milliseconds = `((contacts.${column} % 1000 + 1000) % 1000)`;
  const seconds = `(contacts.${column} - ${milliseconds}) / 1000`;
  return `strftime('%Y-%m-%dT%H:%M:%S', ${seconds}, 'unixepoch') || printf('.%03dZ', ${milliseconds})`;
}

/** SQL of what `contact-snapshot.ts` says of custom fields; `key` is one of them. */
const CUSTOM_VALUE = `contacts.custom -> ('$."' || key || '"')`;
const IS_SHORT = `(length(CAST(${CUSTOM_VALUE} AS BLOB)) <= ${MAX_SHORT_VALUE_BYTES})`;
const IS_TOLD_WHOLE = `length(CAST(contacts.custom AS BLOB)) <= ${MAX_TOLD_CUSTOM_BYTES}`;

/**
 * The SQL of what events tell of a contact, as it stands when the statement runs: many may write
 * to a contact at once, and none of them is to wait for, or to tell of, what another read.
 */
const EVENT_FIELDS = {
  id: "contacts.id",
  external_id: "contacts.external_id",
  name: "contacts.name",
  email: "contacts.email",
  phone: "contacts.phone",
  channel: "contacts.channel",
  stage: shownStage("contacts.workspace_id"),
  tags: `(SELECT json_group_array(tag_id) FROM
    (SELECT tag_id FROM contact_tags WHERE ${shownTags("contacts.workspace_id")} ORDER BY tag_id))`,
  country: "contacts.country",
  language: "contacts.language",
  custom: `json(iif(${IS_TOLD_WHOLE}, contacts.custom, (
    SELECT json_group_object(key, json(${CUSTOM_VALUE}))
    FROM json_each(contacts.custom) WHERE ${IS_SHORT})))`,
  custom_left_out: `json(iif(${IS_TOLD_WHOLE}, '[]', (
    SELECT json_group_array(key) FROM json_each(contacts.custom) WHERE NOT ${IS_SHORT})))`,
  status: "contacts.status",
  last_active_at: timestampSql("last_active_at"),
  last_inbound_at: timestampSql("last_inbound_at"),
  created_at: timestampSql("created_at"),
  updated_at: timestampSql("updated_at"),
} satisfies Record<Exclude<keyof ContactEventData, "changed">, string>;

/** SQL of an event's data, with SQL of a JSON array of the fields that changed. */
function eventDataSql(changed: string): string {
  return `json_object(${Object.entries({ ...EVENT_FIELDS, changed })
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(", ")})`;
}

/** SQL of the names of the times that the message set, to ?3: it may be older than what stands. */
const HEARD = `(SELECT json_group_array(name) FROM (
  SELECT 'last_active_at' AS name WHERE contacts.last_active_at = ?3
  UNION ALL SELECT 'last_inbound_at' WHERE contacts.last_inbound_at = ?3))`;
