import { type EventRow, insertEventsFrom } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { shownRevision } from "./contact-labels.repository.ts";
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
/** Of all that is written at once: they are of one workspace. */
const WORKSPACE = "(?1 ->> '$[0].contact.workspaceId')";
const CHANGED = NAMES.filter(([name]) => !["id", "workspaceId", "createdAt"].includes(name));

const WRITE_STATEMENTS = [
  `INSERT INTO contacts (${NAMES.map(([, column]) => column).join(", ")})
   SELECT ${NAMES.map(([name]) => FIELD(name)).join(", ")} FROM json_each(?1) AS write
   WHERE write.value ->> '$.replaces' IS NULL ON CONFLICT DO NOTHING`,
  `UPDATE contacts SET ${CHANGED.map(([name, column]) => `${column} = ${FIELD(name)}`).join(", ")}
   FROM json_each(?1) AS write
   WHERE contacts.id = write.value ->> '$.contact.id'
     AND contacts.workspace_id = write.value ->> '$.contact.workspaceId'
     AND ${shownRevision(WORKSPACE)} = write.value ->> '$.replaces'`,
  `DELETE FROM contact_tags WHERE contact_id IN (SELECT contacts.id FROM ${WRITTEN})`,
  `INSERT INTO contact_tags (contact_id, tag_id)
   SELECT contacts.id, tag.value FROM ${WRITTEN}, json_each(write.value -> '$.contact.tags') AS tag`,
  insertEventsFrom(`${WRITTEN}, json_each(write.value -> '$.events') AS event`),
  `SELECT contacts.id FROM ${WRITTEN}`,
];

/**
 * Writes contacts with their tags and events, all in one transaction: each only if it is new
 * (neither its id nor its external id stands) or has still the revision that it replaces.
 * Answers the ids of those that were written. @throws a reference conflict when a tag or stage is gone
 */
export async function writeContacts(db: Database, writes: ContactWrite[]): Promise<Set<string>> {
  const json = JSON.stringify(writes);
  const answers = await db.$client.batch<{ id: string }>(
    WRITE_STATEMENTS.map((statement) => db.$client.prepare(statement).bind(json)),
  );
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
  const found = `contacts.id = ?1 AND contacts.workspace_id = ?2 AND ${shownRevision("?2")} = ?3`;
  const [, deleted] = await d1.batch([
    d1
      .prepare(insertEventsFrom(`contacts, json_each(?4) AS event WHERE ${found}`))
      .bind(id, workspaceId, revision, JSON.stringify([event])),
    d1.prepare(`DELETE FROM contacts WHERE ${found}`).bind(id, workspaceId, revision),
  ]);
  return (deleted?.meta.changes ?? 0) > 0;
}
