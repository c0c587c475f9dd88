import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { ContactPage, LabelKind } from "../labels/labels.ports.ts";
import { shownRevision, shownStage, shownTags } from "./contact-labels.repository.ts";
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

/** The columns of a contact by their names here. */
export const CONTACT_COLUMNS = {
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
/** Those that a deleted tag or stage, which is not to be seen, makes other than they stand. */
const SHOWN: Record<string, string> = {
  stageId: shownStage("?1"),
  revision: shownRevision("?1"),
};
/** SQL of what is read of a contact, for {@link toContact}; ?1 is the workspace. */
export const SELECTED = `${Object.entries(CONTACT_COLUMNS)
  .map(([name, column]) => `${SHOWN[name] ?? `contacts.${column}`} AS ${name}`)
  .join(", ")},
  (SELECT json_group_array(tag_id) FROM contact_tags WHERE ${shownTags("?1")}) AS tags`;

export type SelectedRow = Omit<ContactRow, "custom" | "tags"> & { custom: string; tags: string };

export function toContact(row: SelectedRow): ContactRow {
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
      CROSS JOIN contacts AS known INDEXED BY contacts_external_id
        ON known.workspace_id = ?1 AND known.external_id = wanted.value)`,
    values: [JSON.stringify(ids), JSON.stringify(externalIds)],
  });
}

/** The next contacts that a deleted label still stands with, by id. */
export async function findContactsWithLabel(
  db: Database,
  workspaceId: string,
  label: { kind: LabelKind; id: string },
  { after, limit }: ContactPage,
): Promise<ContactRow[]> {
  const values = [label.id, after, limit];
  if (label.kind === "stage") {
    const where = "contacts.stage_id = ?2 AND contacts.id > ?3";
    const query = { from: "contacts INDEXED BY contacts_stage", where, values };
    return select(db, workspaceId, query, "ORDER BY contacts.id LIMIT ?4");
  }
  const where = "contact_tags.tag_id = ?2 AND contact_tags.contact_id > ?3";
  const query = { from: TAGGED_CONTACTS, where, values };
  return select(db, workspaceId, query, "ORDER BY contact_tags.contact_id LIMIT ?4");
}

/** Newest first; one row more than the page holds. */
export async function selectContacts(
  db: Database,
  workspaceId: string,
  query: ContactQuery,
  page: PageRequest,
): Promise<ContactRow[]> {
  const at = query.values.length + 2;
  const id = query.from === TAGGED_CONTACTS ? "contact_tags.contact_id" : "contacts.id";
  const where = page.beforeId ? `${query.where} AND ${id} < ?${at + 1}` : query.where;
  const values = [...query.values, page.limit + 1, ...(page.beforeId ? [page.beforeId] : [])];
  const rest = `ORDER BY ${id} DESC LIMIT ?${at}`;
  return select(db, workspaceId, { ...query, where, values }, rest);
}

/** The query of a list's filter. */
export function toContactQuery(filter: ContactFilter): ContactQuery {
  const conditions: [unknown, string][] = [
    [filter.external_id, "contacts.external_id = ?"],
    [filter.email, "lower(contacts.email) = lower(?)"],
    [filter.channel, "contacts.channel = ?"],
    [filter.stage, `contacts.stage_id = ? AND ${shownStage("?1")} IS NOT NULL`],
    [filter.status, "contacts.status = ?"],
  ];
  const asked = conditions.filter(([value]) => value !== undefined);
  const where = asked.map(([, condition], at) => condition.replace("?", `?${at + 2}`));
  const values = asked.map(([value]) => value);
  if (filter.tag === undefined) {
    return { from: "contacts", where: where.join(" AND ") || "true", values };
  }
  where.push(`contact_tags.tag_id = ?${values.length + 2} AND ${shownTags("?1")}`);
  return {
    from: TAGGED_CONTACTS,
    where: where.join(" AND "),
    values: [...values, filter.tag],
  };
}
