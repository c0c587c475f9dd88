import { countingBatch } from "../../../access/usage/usage.ports.ts";
import {
  EVENT_BYTES,
  type EventRow,
  insertEventsFrom,
  joinEvent,
} from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { contactBytes } from "./contacts.ports.ts";
import { CONTACT_COLUMNS, type ContactRow } from "./contacts.repository.ts";

/** A contact as it is to be, the events of that, and the revision that it replaces; null: none. */
export interface ContactWrite {
  contact: ContactRow;
  replaces: string | null;
  events: EventRow[];
}

const NAMES = Object.entries(CONTACT_COLUMNS);
const FIELD = (name: string) => `write.value ->${name === "custom" ? "" : ">"} '$.contact.${name}'`;
const WRITTEN = `json_each(?1) AS write CROSS JOIN contacts
  ON contacts.id = write.value ->> '$.contact.id'
  AND contacts.revision = write.value ->> '$.contact.revision'`;
const CHANGED = NAMES.filter(([name]) => !["id", "workspaceId", "createdAt"].includes(name));

const WRITE_STATEMENTS = [
  `INSERT INTO contacts (${NAMES.map(([, column]) => column).join(", ")})
   SELECT ${NAMES.map(([name]) => FIELD(name)).join(", ")} FROM json_each(?1) AS write
   WHERE write.value ->> '$.replaces' IS NULL ON CONFLICT DO NOTHING`,
  `UPDATE contacts SET ${CHANGED.map(([name, column]) => `${column} = ${FIELD(name)}`).join(", ")}
   FROM json_each(?1) AS write
   WHERE contacts.id = write.value ->> '$.contact.id'
     AND contacts.workspace_id = write.value ->> '$.contact.workspaceId'
     AND contacts.revision = write.value ->> '$.replaces'`,
  `DELETE FROM contact_tags WHERE contact_id IN (SELECT contacts.id FROM ${WRITTEN})`,
  `INSERT INTO contact_tags (contact_id, tag_id)
   SELECT contacts.id, tag.value FROM ${WRITTEN}, json_each(write.value -> '$.contact.tags') AS tag`,
  insertEventsFrom(`${WRITTEN}, json_each(write.value -> '$.events') AS event`),
  `SELECT contacts.id FROM ${WRITTEN}`,
];

/** Of the same writes, for the workspace's usage. */
const COUNT = {
  bytes: `(SELECT coalesce(sum(${contactBytes("contacts")}), 0) FROM json_each(?1) AS write
    CROSS JOIN contacts ON contacts.id = write.value ->> '$.contact.id')`,
  contacts: `(SELECT count(*) FROM ${WRITTEN} WHERE write.value ->> '$.replaces' IS NULL)`,
  events: `(SELECT coalesce(sum(${EVENT_BYTES}), 0) FROM json_each(?1) AS write,
    json_each(write.value -> '$.events') AS event
    CROSS ${joinEvent("event.value ->> 'id'")})`,
};

/** One contact without tags is counted by the triggers; more of them, all at once. */
function isCountedAsBatch(writes: ContactWrite[]): boolean {
  return writes.length > 1 || writes.some(({ contact }) => contact.tags.length > 0);
}

/**
 * Writes contacts with their tags and events, all in one transaction: each only if it is new
 * (neither its id nor its external id stands) or has still the revision that it replaces.
 * Answers the ids of those that were written. @throws a reference conflict when a tag or stage is gone
 */
export async function writeContacts(db: Database, writes: ContactWrite[]): Promise<Set<string>> {
  const json = JSON.stringify(writes);
  const statements = WRITE_STATEMENTS.map((one) => db.$client.prepare(one).bind(json));
  const [workspaceId] = writes.map(({ contact }) => contact.workspaceId);
  if (workspaceId && isCountedAsBatch(writes)) {
    const { before, after } = countingBatch(db, workspaceId, json, COUNT);
    // The ids are what the last statement answers.
    statements.splice(-1, 0, ...after);
    statements.unshift(before);
  }
  const answers = await db.$client.batch<{ id: string }>(statements);
  return new Set(answers.at(-1)?.results.map(({ id }) => id));
}

/** Deletes a contact if it still has this revision, and writes the event of it. Whether it did. */
export async function deleteContact(
  db: Database,
  contact: ContactRow,
  event: EventRow,
): Promise<boolean> {
  const d1 = db.$client;
  const { workspaceId, id, revision } = contact;
  const found = "contacts.id = ?1 AND contacts.workspace_id = ?2 AND contacts.revision = ?3";
  const [, deleted] = await d1.batch([
    d1
      .prepare(insertEventsFrom(`contacts, json_each(?4) AS event WHERE ${found}`))
      .bind(id, workspaceId, revision, JSON.stringify([event])),
    d1.prepare(`DELETE FROM contacts WHERE ${found}`).bind(id, workspaceId, revision),
  ]);
  return (deleted?.meta.changes ?? 0) > 0;
}
