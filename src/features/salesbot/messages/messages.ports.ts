/** What other features' statements need of the messages table. */
import type { Database } from "../../../platform/db/client.ts";

/** Whether there is a message from a contact or to it, which outlives it. */
export async function hasMessagesOf(
  db: Database,
  workspaceId: string,
  contactId: string,
): Promise<boolean> {
  const found = await db.$client
    .prepare("SELECT 1 FROM messages WHERE workspace_id = ?1 AND contact_id = ?2 LIMIT 1")
    .bind(workspaceId, contactId)
    .first();
  return found !== null;
}

const NEXT = `SELECT id FROM messages INDEXED BY messages_contact
  WHERE workspace_id = ?1 AND contact_id = ?2 AND id > ?3 ORDER BY id LIMIT ?4`;

/** The next messages of a contact, behind a position; the last of them: undefined if there is none. */
export async function lastOfNextMessages(
  db: Database,
  bound: [workspaceId: string, contactId: string, position: string, limit: number],
): Promise<string | undefined> {
  const { results } = await db.$client
    .prepare(NEXT)
    .bind(...bound)
    .all<{ id: string }>();
  return results.at(-1)?.id;
}

/**
 * The statement that erases those messages: their text, and their ids at a channel, which may hold
 * a telephone number. One that waited has failed; an attempt under way then writes nothing down.
 */
export function messagesErasure(
  db: Database,
  bound: [workspaceId: string, contactId: string, position: string, limit: number],
  time: number,
): D1PreparedStatement {
  return db.$client
    .prepare(
      `UPDATE messages SET text = NULL, template = NULL, external_id = NULL, updated_at = ?5,
         reason = iif(status = 'queued', 'contact_erased', reason), next_attempt_at = NULL,
         status = iif(status = 'queued', 'failed', status)
       WHERE id IN (${NEXT})`,
    )
    .bind(...bound, time);
}
