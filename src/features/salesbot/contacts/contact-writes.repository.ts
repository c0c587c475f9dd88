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

/** A contact as it is to be, the one that it replaces as that was read, and the events of that. */
export interface ContactWrite {
  before: ContactRow | undefined;
  contact: ContactRow;
  events: EventRow[];
}

const COLUMNS = Object.entries(CONTACT_COLUMNS);
const FIXED = ["id", "workspaceId", "createdAt"];
/** Columns that indexes hold. Setting one costs a row written for each such index. */
const INDEXED = ["externalId", "stageId", "lastActiveAt"] as const;
const isIndexed = (name: string) => INDEXED.some((one) => one === name);

const FIELD = (name: string) => `row.value ->${name === "custom" ? "" : ">"} '$.${name}'`;

/** SQL that sets columns of the contacts that have still the revision which they are to replace. */
function updateOf(names: string[]): string {
  const set = COLUMNS.filter(([name]) => names.includes(name));
  return `UPDATE contacts SET ${set.map(([name, column]) => `${column} = ${FIELD(name)}`).join(", ")}
    FROM json_each(?1) AS row
    WHERE contacts.id = ${FIELD("id")} AND contacts.workspace_id = ${FIELD("workspaceId")}
      AND contacts.revision = ${FIELD("replaces")}`;
}

/** SQL of rows, `[contact id, revision, …]`, whose contact was written: it has that revision. */
const OF_WRITTEN = `json_each(?1) AS row CROSS JOIN contacts
  ON contacts.id = row.value ->> 0 AND contacts.revision = row.value ->> 1`;

const INSERT = `INSERT INTO contacts (${COLUMNS.map(([, column]) => column).join(", ")})
  SELECT ${COLUMNS.map(([name]) => FIELD(name)).join(", ")} FROM json_each(?1) AS row
  WHERE true ON CONFLICT DO NOTHING RETURNING id`;
const UPDATE_INDEXED = updateOf([...INDEXED]);
// Sets the revision too, so it comes last.
const UPDATE = `${updateOf(
  Object.keys(CONTACT_COLUMNS).filter((name) => !FIXED.includes(name) && !isIndexed(name)),
)} RETURNING contacts.id`;
const TAKE_TAGS = `DELETE FROM contact_tags WHERE (contact_id, tag_id) IN (
  SELECT contacts.id, tag.value FROM ${OF_WRITTEN}, json_each(row.value -> 2) AS tag)`;
const GIVE_TAGS = `INSERT INTO contact_tags (contact_id, tag_id)
  SELECT contacts.id, tag.value FROM ${OF_WRITTEN}, json_each(row.value -> 2) AS tag`;
const INSERT_EVENTS = insertEventsFrom(`${OF_WRITTEN}, json_each(row.value -> 2) AS event`);

/** The rows of each statement, in the order in which they are to run. */
function rowsByStatement(writes: ContactWrite[]): [string, unknown[]][] {
  const replacing = writes.flatMap(({ before, contact }) =>
    before ? [{ before, after: { ...contact, replaces: before.revision } }] : [],
  );
  const moved = replacing.filter(({ before, after }) =>
    INDEXED.some((name) => before[name] !== after[name]),
  );
  return [
    [INSERT, writes.filter(({ before }) => !before).map(({ contact }) => contact)],
    [UPDATE_INDEXED, moved.map(({ after }) => after)],
    [UPDATE, replacing.map(({ after }) => after)],
    [TAKE_TAGS, tagRows(writes, (before, after) => [before, after])],
    [GIVE_TAGS, tagRows(writes, (before, after) => [after, before])],
    [INSERT_EVENTS, writes.map(({ contact, events }) => [contact.id, contact.revision, events])],
  ];
}

/** Of each contact the tags that are in the one list and not in the other, if there are any. */
function tagRows(
  writes: ContactWrite[],
  lists: (before: string[], after: string[]) => [string[], string[]],
): unknown[] {
  return writes.flatMap(({ before, contact }) => {
    const [of, without] = lists(before?.tags ?? [], contact.tags);
    const tags = of.filter((tag) => !without.includes(tag));
    return tags.length > 0 ? [[contact.id, contact.revision, tags]] : [];
  });
}

/** For {@link COUNT}: id and revision of each contact, whether it is new, and its events' ids. */
function countedRows(writes: ContactWrite[]): string {
  const rows = writes.map(({ before, contact, events }) => [
    contact.id,
    contact.revision,
    before === undefined,
    events.map(({ id }) => id),
  ]);
  return JSON.stringify(rows);
}

const COUNT = {
  bytes: `(SELECT coalesce(sum(${contactBytes("contacts")}), 0) FROM json_each(?1) AS row
    CROSS JOIN contacts ON contacts.id = row.value ->> 0)`,
  contacts: `(SELECT count(*) FROM ${OF_WRITTEN} WHERE row.value ->> 2)`,
  events: `(SELECT coalesce(sum(${EVENT_BYTES}), 0) FROM json_each(?1) AS row,
    json_each(row.value -> 3) AS event CROSS ${joinEvent("event.value")})`,
};

/**
 * Many rows are counted all at once; so is what takes two of them, of which one may shrink. Triggers
 * count the others.
 */
function isCountedAsBatch(writes: ContactWrite[]): boolean {
  return (
    writes.length > 1 ||
    tagRows(writes, (before, after) => [before, after]).length > 0 ||
    tagRows(writes, (before, after) => [after, before]).length > 0 ||
    writes.some(({ before, contact }) => before && before.externalId !== contact.externalId)
  );
}

/**
 * Writes contacts with their tags and events, all in one transaction: each only if it is new
 * (neither its id nor its external id stands) or has still the revision that it replaces.
 * Answers the ids of those that were written. @throws a reference conflict when a tag or stage is gone
 */
export async function writeContacts(db: Database, writes: ContactWrite[]): Promise<Set<string>> {
  const rows = rowsByStatement(writes).filter(([, some]) => some.length > 0);
  const statements = rows.map(([sql, some]) => db.$client.prepare(sql).bind(JSON.stringify(some)));
  const [workspaceId] = writes.map(({ contact }) => contact.workspaceId);
  if (workspaceId && isCountedAsBatch(writes)) {
    const { before, after } = countingBatch(db, workspaceId, countedRows(writes), COUNT);
    statements.unshift(before);
    statements.push(...after);
  }
  const answers = await db.$client.batch<{ id: string }>(statements);
  return new Set(answers.flatMap(({ results }) => results.map(({ id }) => id)));
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
