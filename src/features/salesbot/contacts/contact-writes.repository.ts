import {
  type EventRow,
  insertErasureFrom,
  insertEventsFrom,
} from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { ContactIdentity } from "./contact-identity.ts";
import { CONTACT_COLUMNS, type ContactRow } from "./contacts.repository.ts";
import {
  optOutsAddedBy,
  optOutsOf,
  optOutsRemovedBy,
  respectsOptOuts,
} from "./opt-outs.repository.ts";

/** A contact as it is to be, the events of that, and the revision that it replaces; null: none. */
export interface ContactWrite {
  contact: ContactRow;
  replaces: string | null;
  events: EventRow[];
  /** The caller says outright that it is active: who may undo an opt-out, does. */
  saysActive: boolean;
  /** What it went by until now, if it has opted out. */
  optedOutAs?: ContactIdentity;
}

/** A write with what its contact goes by, hashed, and what it does to the list of opt-outs. */
export interface JudgedWrite extends ContactWrite {
  identities: string[];
  optOut: "add" | "remove" | null;
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
   WHERE write.value ->> '$.replaces' IS NULL AND ${respectsOptOuts("write.value")}
   ON CONFLICT DO NOTHING`,
  `UPDATE contacts SET ${CHANGED.map(([name, column]) => `${column} = ${FIELD(name)}`).join(", ")}
   FROM json_each(?1) AS write
   WHERE contacts.id = write.value ->> '$.contact.id'
     AND contacts.workspace_id = write.value ->> '$.contact.workspaceId'
     AND contacts.revision = write.value ->> '$.replaces'
     AND ${respectsOptOuts("write.value")}`,
  `DELETE FROM contact_tags WHERE contact_id IN (SELECT contacts.id FROM ${WRITTEN})`,
  `INSERT INTO contact_tags (contact_id, tag_id)
   SELECT contacts.id, tag.value FROM ${WRITTEN}, json_each(write.value -> '$.contact.tags') AS tag`,
  insertEventsFrom(`${WRITTEN}, json_each(write.value -> '$.events') AS event`),
  optOutsAddedBy(WRITTEN, "write.value"),
  optOutsRemovedBy(WRITTEN, "write.value"),
  `SELECT contacts.id FROM ${WRITTEN}`,
];

/**
 * Writes contacts with their tags and events, all in one transaction: each only if it is new
 * (neither its id nor its external id stands) or has still the revision that it replaces, and each
 * only if the list of opt-outs allows it.
 * Answers the ids of those that were written. @throws a reference conflict when a tag or stage is gone
 */
export async function writeContacts(db: Database, writes: JudgedWrite[]): Promise<Set<string>> {
  const json = JSON.stringify(writes.map(({ optedOutAs: _, ...write }) => write));
  const answers = await db.$client.batch<{ id: string }>(
    WRITE_STATEMENTS.map((statement) => db.$client.prepare(statement).bind(json)),
  );
  return new Set(answers.at(-1)?.results.map(({ id }) => id));
}

/** What is kept of a contact that is deleted: hashes for the list of opt-outs, and its event. */
export interface Deletion {
  event: EventRow;
  identities: string[];
  /** Begin to erase what is stored of it elsewhere, too. */
  isErasure: boolean;
}

/** Deletes a contact if it still has this revision, and writes the event of it. Whether it did. */
export async function deleteContact(
  db: Database,
  contact: ContactRow,
  { event, identities, isErasure }: Deletion,
): Promise<boolean> {
  const d1 = db.$client;
  const { workspaceId, id, revision } = contact;
  const found = "contacts.id = ?1 AND contacts.workspace_id = ?2 AND contacts.revision = ?3";
  const run = (sql: string, ...more: unknown[]) =>
    d1.prepare(sql).bind(id, workspaceId, revision, ...more);
  const answers = await d1.batch([
    run(
      insertEventsFrom(`contacts, json_each(?4) AS event WHERE ${found}`),
      JSON.stringify([event]),
    ),
    ...(identities.length > 0
      ? [
          run(
            optOutsOf(`contacts, json_each(?4) AS own WHERE ${found}`),
            JSON.stringify(identities),
            event.createdAt,
          ),
        ]
      : []),
    ...(isErasure
      ? [run(insertErasureFrom(`contacts WHERE ${found}`, "?4"), event.createdAt)]
      : []),
    run(`DELETE FROM contacts WHERE ${found}`),
  ]);
  return (answers.at(-1)?.meta.changes ?? 0) > 0;
}
