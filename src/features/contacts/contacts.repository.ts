import type { Database } from "../../db/client.ts";
import { type EventRow, insertEventsFrom } from "../../events/events.repository.ts";
import type { Page } from "../../http/pagination.ts";
import type { ContactFilter } from "./contacts.schemas.ts";
import type { contacts } from "./contacts.table.ts";

/** A contact with the ids of its tags, in order. */
export type ContactRow = Omit<typeof contacts.$inferSelect, "inactiveSince"> & { tags: string[] };

/** Which contacts: an SQL condition on `contacts`, where ?1 is the workspace. */
export interface ContactQuery {
  /** What is read: `contacts`, or {@link TAGGED_CONTACTS}. */
  from: string;
  where: string;
  /** Bound from ?2 on. */
  values: unknown[];
}

const COLUMNS = {
  id: "id",
  workspaceId: "workspace_id",
  externalId: "external_id",
  name: "name",
  email: "email",
  phone: "phone",
  channel: "channel",
  stageId: "stage_id",
  country: "country",
  language: "language",
  custom: "custom",
  status: "status",
  lastActiveAt: "last_active_at",
  lastInboundAt: "last_inbound_at",
  revision: "revision",
  createdAt: "created_at",
  updatedAt: "updated_at",
} as const;
const NAMES = Object.entries(COLUMNS);
const SELECTED = `${NAMES.map(([name, column]) => `contacts.${column} AS ${name}`).join(", ")},
  (SELECT json_group_array(tag_id) FROM contact_tags WHERE contact_id = contacts.id) AS tags`;

type SelectedRow = Omit<ContactRow, "custom" | "tags"> & { custom: string; tags: string };

function toContact(row: SelectedRow): ContactRow {
  const tags = JSON.parse(row.tags) as string[];
  return { ...row, custom: JSON.parse(row.custom), tags: tags.sort() };
}

/** The contacts with a tag that the condition names, read in the order of the tag's index. */
export const TAGGED_CONTACTS =
  "contact_tags CROSS JOIN contacts ON contacts.id = contact_tags.contact_id";

async function select(
  db: Database,
  workspaceId: string,
  { from, where, values }: ContactQuery,
  rest = "",
): Promise<ContactRow[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT ${SELECTED} FROM ${from} WHERE contacts.workspace_id = ?1 AND ${where} ${rest}`,
    )
    .bind(workspaceId, ...values)
    .all<SelectedRow>();
  return results.map(toContact);
}

export async function findContact(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ContactRow | undefined> {
  const query = { from: "contacts", where: "contacts.id = ?2", values: [id] };
  return (await select(db, workspaceId, query))[0];
}

/** The contacts that have one of these ids, or one of these ids of the caller's own. */
export async function findContacts(
  db: Database,
  workspaceId: string,
  ids: string[],
  externalIds: string[],
): Promise<ContactRow[]> {
  return select(db, workspaceId, {
    from: "contacts",
    where: `contacts.id IN (
      SELECT value FROM json_each(?2) UNION ALL
      SELECT known.id FROM json_each(?3) AS wanted
      JOIN contacts AS known ON known.workspace_id = ?1 AND known.external_id = wanted.value)`,
    values: [JSON.stringify(ids), JSON.stringify(externalIds)],
  });
}

/** Newest first; one row more than the page holds. */
export async function selectContacts(
  db: Database,
  workspaceId: string,
  query: ContactQuery,
  page: Page,
): Promise<ContactRow[]> {
  const at = query.values.length + 2;
  const id = query.from === TAGGED_CONTACTS ? "contact_tags.contact_id" : "contacts.id";
  const where = page.beforeId ? `${query.where} AND ${id} < ?${at + 1}` : query.where;
  const values = [...query.values, page.limit + 1, ...(page.beforeId ? [page.beforeId] : [])];
  const rest = `ORDER BY ${id} DESC LIMIT ?${at}`;
  return select(db, workspaceId, { ...query, where, values }, rest);
}

/** How many contacts each query selects, asked in one call. */
export async function countContacts(
  db: Database,
  workspaceId: string,
  queries: ContactQuery[],
): Promise<number[]> {
  if (queries.length === 0) return [];
  const answers = await db.$client.batch<{ count: number }>(
    queries.map(({ from, where, values }) =>
      db.$client
        .prepare(
          `SELECT count(*) AS count FROM ${from} WHERE contacts.workspace_id = ?1 AND ${where}`,
        )
        .bind(workspaceId, ...values),
    ),
  );
  return answers.map(({ results }) => results[0]?.count ?? 0);
}

/** The query of a list's filter. */
export function toContactQuery(filter: ContactFilter): ContactQuery {
  const conditions: [unknown, string][] = [
    [filter.external_id, "contacts.external_id = ?"],
    [filter.email, "lower(contacts.email) = lower(?)"],
    [filter.channel, "contacts.channel = ?"],
    [filter.stage, "contacts.stage_id = ?"],
    [filter.status, "contacts.status = ?"],
  ];
  const asked = conditions.filter(([value]) => value !== undefined);
  const where = asked.map(([, condition], at) => condition.replace("?", `?${at + 2}`));
  const values = asked.map(([value]) => value);
  if (filter.tag === undefined) {
    return { from: "contacts", where: where.join(" AND ") || "true", values };
  }
  where.push(`contact_tags.tag_id = ?${values.length + 2}`);
  return {
    from: TAGGED_CONTACTS,
    where: where.join(" AND "),
    values: [...values, filter.tag],
  };
}

/** A contact as it is to be, the events of that, and the revision that it replaces; null: none. */
export interface ContactWrite {
  contact: ContactRow;
  replaces: string | null;
  events: EventRow[];
}

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

/** The statement that notes that a contact wrote, for a batch with the message that it is of. */
export function contactHeardFrom(
  db: Database,
  message: { id: string; workspaceId: string; contactId: string; createdAt: number },
  now: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE contacts SET last_inbound_at = max(coalesce(last_inbound_at, 0), ?4),
         last_active_at = max(coalesce(last_active_at, 0), ?4),
         revision = lower(hex(randomblob(16))), updated_at = ?5
       WHERE id = ?3 AND workspace_id = ?2
         AND EXISTS (SELECT 1 FROM messages WHERE messages.id = ?1)`,
    )
    .bind(message.id, message.workspaceId, message.contactId, message.createdAt, now);
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
