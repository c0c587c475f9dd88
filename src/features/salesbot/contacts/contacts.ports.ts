/** What other features' statements need of the contacts table. */
import type { Database } from "../../../platform/db/client.ts";

/** SQL of a contact of a workspace, by the SQL of both their ids: the source of an INSERT. */
export function existingContact(id: string, workspaceId: string): string {
  return `FROM contacts WHERE contacts.id = ${id} AND contacts.workspace_id = ${workspaceId}`;
}

/** SQL: the contact may be written to. */
export const ACTIVE_CONTACT = "contacts.status = 'active'";

/**
 * The statement that notes when a contact wrote, for the batch that inserts its message. `holds`
 * is SQL of whether that was inserted: ?5 is the message's id.
 */
export function contactHeardFrom(
  db: Database,
  message: { id: string; workspaceId: string; contactId: string; createdAt: number },
  holds: string,
): D1PreparedStatement {
  const { id, workspaceId, contactId, createdAt } = message;
  return db.$client
    .prepare(
      `UPDATE contacts SET last_inbound_at = max(coalesce(last_inbound_at, 0), ?3),
         last_active_at = max(coalesce(last_active_at, 0), ?3),
         revision = lower(hex(randomblob(16))), updated_at = ?4
       WHERE id = ?1 AND workspace_id = ?2 AND ${holds}`,
    )
    .bind(contactId, workspaceId, createdAt, createdAt, id);
}

/**
 * SQL that changes the revisions of the contacts with a label: `label` is joined from its table,
 * and found by a condition that binds ?1 to ?3; ?4 is the time.
 */
export function contactsLosing(kind: "tag" | "stage", label: string, found: string): string {
  const having = {
    tag: "id IN (SELECT contact_id FROM contact_tags WHERE tag_id = label.id)",
    stage: "stage_id = label.id",
  };
  return `UPDATE contacts SET revision = lower(hex(randomblob(16))), updated_at = ?4
    FROM ${label} AS label
    WHERE ${found} AND contacts.workspace_id = ?2 AND contacts.${having[kind]}`;
}
