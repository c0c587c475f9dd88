import { overfullRefusal } from "../../../access/usage/usage.ports.ts";
import { countingBatch } from "../../../access/usage/usage-counting.ports.ts";
import {
  findWanted,
  insertEventsFrom,
  insertManyEventsFrom,
  MANY_EVENTS,
} from "../../../events/event-insertion.ports.ts";
import {
  EVENT_BYTES,
  type EventRow,
  insertErasureFrom,
  isErased,
  joinEvent,
} from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { deletedLabels } from "../labels/labels.ports.ts";
import type { ContactIdentity } from "./contact-identity.ts";
import { hidesLabel, shownRevision } from "./contact-labels.repository.ts";
import { contactBytes } from "./contacts.ports.ts";
import { CONTACT_COLUMNS, type ContactRow } from "./contacts.repository.ts";
import {
  optOutsAddedBy,
  optOutsOf,
  optOutsRemovedBy,
  RESPECTS_OPT_OUTS,
} from "./opt-outs.repository.ts";

/** A contact as it is to be, the one that it replaces as that was read, and the events of that. */
export interface ContactWrite {
  before: ContactRow | undefined;
  contact: ContactRow;
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

const COLUMNS = Object.entries(CONTACT_COLUMNS);
const FIXED = ["id", "workspaceId", "createdAt"];
/** Columns that indexes hold. Setting one costs a row written for each such index. */
const INDEXED = ["externalId", "stageId", "lastActiveAt"] as const;
const isIndexed = (name: string) => INDEXED.some((one) => one === name);

const FIELD = (name: string) => `row.value ->${name === "custom" ? "" : ">"} '$.${name}'`;

/** SQL that sets columns of the contacts that have still the revision which they are to replace. */
function updateOf(names: string[], revision = "contacts.revision"): string {
  const set = COLUMNS.filter(([name]) => names.includes(name));
  return `UPDATE contacts SET ${set.map(([name, column]) => `${column} = ${FIELD(name)}`).join(", ")}
    FROM json_each(?1) AS row
    WHERE contacts.id = ${FIELD("id")} AND contacts.workspace_id = ${FIELD("workspaceId")}
      AND ${revision} = ${FIELD("replaces")} AND ${RESPECTS_OPT_OUTS}`;
}

/** SQL of rows, `[contact id, revision, …]`, whose contact was written: it has that revision. */
const OF_WRITTEN = `json_each(?1) AS row CROSS JOIN contacts
  ON contacts.id = row.value ->> 0 AND contacts.revision = row.value ->> 1`;

const INSERT = `INSERT INTO contacts (${COLUMNS.map(([, column]) => column).join(", ")})
  SELECT ${COLUMNS.map(([name]) => FIELD(name)).join(", ")} FROM json_each(?1) AS row
  WHERE ${RESPECTS_OPT_OUTS} AND NOT ${isErased(FIELD("id"), FIELD("workspaceId"))}
  ON CONFLICT DO NOTHING RETURNING id`;
const UPDATE_INDEXED = updateOf([...INDEXED]);
// Sets the revision too, so it comes last.
const CHANGING = Object.keys(CONTACT_COLUMNS).filter((name) => !FIXED.includes(name));
const UPDATE = `${updateOf(CHANGING.filter((name) => !isIndexed(name)))} RETURNING contacts.id`;
/** Of a contact that hides a deleted label, all is set, and what it hides goes. */
const UPDATE_HIDING = `${updateOf(CHANGING, shownRevision("contacts.workspace_id"))}
  RETURNING contacts.id`;
const TAKE_HIDDEN_TAGS = `DELETE FROM contact_tags WHERE (contact_id, tag_id) IN (
  SELECT contacts.id, hidden.tag_id
  FROM ${OF_WRITTEN} CROSS JOIN contact_tags AS hidden ON hidden.contact_id = contacts.id
  WHERE hidden.tag_id IN (${deletedLabels("tag", "contacts.workspace_id")}))`;
const TAKE_TAGS = `DELETE FROM contact_tags WHERE (contact_id, tag_id) IN (
  SELECT contacts.id, tag.value FROM ${OF_WRITTEN}, json_each(row.value -> 2) AS tag)`;
const GIVE_TAGS = `INSERT INTO contact_tags (contact_id, tag_id)
  SELECT contacts.id, tag.value FROM ${OF_WRITTEN}, json_each(row.value -> 2) AS tag`;
const LIST_OPT_OUTS = optOutsAddedBy(OF_WRITTEN);
const UNLIST_OPT_OUTS = optOutsRemovedBy(OF_WRITTEN);
const EVENTS_OF_WRITTEN = `${OF_WRITTEN}, json_each(row.value -> 2) AS event`;
const INSERT_EVENTS = insertEventsFrom(EVENTS_OF_WRITTEN);
const INSERT_MANY_EVENTS = insertManyEventsFrom(EVENTS_OF_WRITTEN);

/** The rows of each statement, in the order in which they are to run. */
function rowsByStatement(writes: JudgedWrite[]): [string, unknown[]][] {
  const replacing = writes.flatMap(({ before, contact, identities, optOut }) =>
    before
      ? [{ before, after: { ...contact, identities, optOut, replaces: before.revision } }]
      : [],
  );
  const listing = (what: JudgedWrite["optOut"]) =>
    writes.flatMap(({ contact: { id, revision, workspaceId, updatedAt }, identities, optOut }) =>
      optOut === what && identities.length > 0
        ? [[id, revision, identities, workspaceId, updatedAt]]
        : [],
    );
  const made = writes.filter(({ before }) => !before);
  const hiding = replacing.filter(({ before }) => hidesLabel(before));
  const plain = replacing.filter(({ before }) => !hidesLabel(before));
  const moved = plain.filter(({ before, after }) =>
    INDEXED.some((name) => before[name] !== after[name]),
  );
  return [
    [INSERT, made.map(({ contact, identities, optOut }) => ({ ...contact, identities, optOut }))],
    [UPDATE_INDEXED, moved.map(({ after }) => after)],
    [UPDATE, plain.map(({ after }) => after)],
    [UPDATE_HIDING, hiding.map(({ after }) => after)],
    [TAKE_HIDDEN_TAGS, hiding.map(({ after }) => [after.id, after.revision])],
    [TAKE_TAGS, tagRows(writes, (before, after) => [before, after])],
    [GIVE_TAGS, tagRows(writes, (before, after) => [after, before])],
    [
      writes.length < MANY_EVENTS ? INSERT_EVENTS : INSERT_MANY_EVENTS,
      writes.map(({ contact, events }) => [contact.id, contact.revision, events]),
    ],
    // In this order: of two rows of one person, who opts out wins.
    [UNLIST_OPT_OUTS, listing("remove")],
    [LIST_OPT_OUTS, listing("add")],
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
  records: {
    stage: 0,
    id: "contacts.id",
    bytes: contactBytes("contacts"),
    source: "json_each(?1) AS row CROSS JOIN contacts ON contacts.id = row.value ->> 0",
  },
  contacts: {
    stage: 0,
    id: "contacts.id",
    bytes: "1",
    source: `${OF_WRITTEN} WHERE row.value ->> 2`,
  },
  events: {
    stage: 4,
    id: "events.id",
    bytes: EVENT_BYTES,
    source: `json_each(?1) AS row, json_each(row.value -> 3) AS event CROSS ${joinEvent("event.value")}`,
  },
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
    writes.some(({ before, contact }) => before && before.externalId !== contact.externalId) ||
    writes.some(({ before }) => before && hidesLabel(before))
  );
}

/** What a batch has written. */
export interface Written {
  /** Contacts. */
  ids: Set<string>;
  /** One of their events, if somebody wants one. */
  wanted: string | undefined;
}

/**
 * Writes contacts with their tags and events, all in one transaction: each only if it is new
 * (neither its id nor its external id stands, and its id was not erased) or has still the revision
 * that it replaces, and each only if the list of opt-outs allows it. @throws a reference conflict when a tag or stage is gone
 */
export async function writeContacts(
  db: Database,
  writes: JudgedWrite[],
  { isRefusedWhenOverfull = false } = {},
): Promise<Written> {
  const statements = contactStatements(db, writes);
  const [workspaceId] = writes.map(({ contact }) => contact.workspaceId);
  if (workspaceId && isRefusedWhenOverfull) statements.unshift(overfullRefusal(db, workspaceId));
  const answers = await db.$client.batch<{ id?: string }>(statements);
  const ids = new Set(answers.flatMap(({ results }) => results.flatMap(({ id }) => id ?? [])));
  return { ids, wanted: findWanted(answers) };
}

/** The statements of that, for a batch that writes more with them. */
export function contactStatements(db: Database, writes: JudgedWrite[]): D1PreparedStatement[] {
  const rows = rowsByStatement(writes).filter(([, some]) => some.length > 0);
  const statements = rows.map(([sql, some]) => db.$client.prepare(sql).bind(JSON.stringify(some)));
  const [workspaceId] = writes.map(({ contact }) => contact.workspaceId);
  if (workspaceId && isCountedAsBatch(writes)) {
    const { before, after } = countingBatch(db, workspaceId, countedRows(writes), COUNT);
    statements.unshift(before);
    statements.push(...after);
  }
  return statements;
}

/** What is kept of a contact that is deleted: hashes for the list of opt-outs, and its event. */
export interface Deletion {
  event: EventRow;
  identities: string[];
  /** Begin to erase what is stored of it elsewhere, too. */
  isErasure: boolean;
}

/**
 * Deletes a contact if it still has this revision, and writes the event of it: `wanted`, if somebody
 * wants that.
 */
export async function deleteContact(
  db: Database,
  contact: ContactRow,
  { event, identities, isErasure }: Deletion,
): Promise<{ isDeleted: boolean; wanted: string | undefined }> {
  const d1 = db.$client;
  const { workspaceId, id, revision } = contact;
  const found = `contacts.id = ?1 AND contacts.workspace_id = ?2 AND ${shownRevision("?2")} = ?3`;
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
  return { isDeleted: (answers.at(-1)?.meta.changes ?? 0) > 0, wanted: findWanted(answers) };
}
