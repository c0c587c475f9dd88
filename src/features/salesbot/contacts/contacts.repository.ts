import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { ContactPage, LabelKind } from "../labels/labels.ports.ts";
import { shownRevision, shownStage, shownTags } from "./contact-labels.repository.ts";
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
const TAGGED_CONTACTS = "contact_tags CROSS JOIN contacts ON contacts.id = contact_tags.contact_id";

export async function selectContacts(
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
  return (await selectContacts(db, workspaceId, query))[0];
}

/** The contacts that have one of these ids, or one of these ids of the caller's own. */
export async function findContacts(
  db: Database,
  workspaceId: string,
  ids: string[],
  externalIds: string[],
): Promise<ContactRow[]> {
  return selectContacts(db, workspaceId, {
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
    return selectContacts(db, workspaceId, query, "ORDER BY contacts.id LIMIT ?4");
  }
  const where = "contact_tags.tag_id = ?2 AND contact_tags.contact_id > ?3";
  const query = { from: TAGGED_CONTACTS, where, values };
  return selectContacts(db, workspaceId, query, "ORDER BY contact_tags.contact_id LIMIT ?4");
}

/** Newest first; one row more than the page holds. */
export async function listAllContacts(
  db: Database,
  workspaceId: string,
  { limit, beforeId }: PageRequest,
): Promise<ContactRow[]> {
  const where = beforeId ? "contacts.id < ?3" : "true";
  const values = [limit + 1, ...(beforeId ? [beforeId] : [])];
  const rest = "ORDER BY contacts.id DESC LIMIT ?2";
  return selectContacts(db, workspaceId, { from: "contacts", where, values }, rest);
}
