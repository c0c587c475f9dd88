import { and, asc, eq, lte, sql } from "drizzle-orm";
import { workspaceAllows } from "../../../access/workspaces/workspaces.ports.ts";
import { findWanted, insertEventsFrom } from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import { contactHeardFrom, existingContact, mayBeWrittenTo } from "../contacts/contacts.ports.ts";
import { messages } from "./messages.table.ts";

export type MessageRow = typeof messages.$inferSelect;

const INSERT = `
  INSERT INTO messages (id, workspace_id, contact_id, channel, direction, text, template, status,
    external_id, attempts_count, next_attempt_at, created_at, updated_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10, ?11, ?11 ${existingContact("?3", "?2")}`;

function insertion(db: Database, row: MessageRow, rest: string, more: unknown[] = []) {
  return db.$client
    .prepare(`${INSERT} ${rest}`)
    .bind(
      row.id,
      row.workspaceId,
      row.contactId,
      row.channel,
      row.direction,
      row.text,
      row.template && JSON.stringify(row.template),
      row.status,
      row.externalId,
      row.nextAttemptAt,
      row.createdAt,
      ...more,
    );
}

function eventInsertion(db: Database, row: MessageRow, event: EventRow) {
  return db.$client
    .prepare(insertEventsFrom("messages, json_each(?2) AS event WHERE messages.id = ?1"))
    .bind(row.id, JSON.stringify([event]));
}

/** Whether a message was inserted, and one of the events of that, if somebody wants one. */
interface Inserted {
  isInserted: boolean;
  wanted: string | undefined;
}

function toInserted(answers: D1Result[]): Inserted {
  const isInserted = (answers[0]?.meta.changes ?? 0) > 0;
  return { isInserted, wanted: findWanted(answers) };
}

/**
 * Queues a message with its event if its contact may still be written to: it is active, nobody who
 * goes by its `identities` opted out and, where `heardSince` is given, it wrote after that.
 * @throws a unique conflict for its id
 */
export async function insertOutbound(
  db: Database,
  row: MessageRow,
  event: EventRow,
  { heardSince, identities }: { heardSince: number | null; identities: string[] },
): Promise<Inserted> {
  const mayBeSent = `AND ${mayBeWrittenTo("?2", "?13")} AND (?12 IS NULL OR contacts.last_inbound_at > ?12)`;
  const answers = await db.$client.batch([
    insertion(db, row, mayBeSent, [heardSince, JSON.stringify(identities)]),
    eventInsertion(db, row, event),
  ]);
  return toInserted(answers);
}

/**
 * Records what a contact wrote, once for its external id, with its event and that of the contact's
 * change, which gets the id `contactEventId`.
 */
export async function insertInbound(
  db: Database,
  row: MessageRow,
  event: EventRow,
  contactEventId: string,
): Promise<Inserted> {
  const isInserted = "EXISTS (SELECT 1 FROM messages WHERE messages.id = ?4)";
  const answers = await db.$client.batch([
    insertion(db, row, "ON CONFLICT DO NOTHING"),
    eventInsertion(db, row, event),
    ...contactHeardFrom(db, row, isInserted, contactEventId),
  ]);
  return toInserted(answers);
}

export async function findMessage(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<MessageRow | undefined> {
  return db
    .select()
    .from(messages)
    .where(and(eq(messages.workspaceId, workspaceId), eq(messages.id, id)))
    .get();
}

export async function findInbound(
  db: Database,
  { workspaceId, channel, externalId }: MessageRow,
): Promise<MessageRow | undefined> {
  if (externalId === null) return undefined;
  return db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.workspaceId, workspaceId),
        eq(messages.channel, channel),
        eq(messages.externalId, externalId),
      ),
    )
    .get();
}

/** Queued messages that were due by `time`: their wake-up was lost, or who sent them died. */
export async function findOverdueMessages(
  db: Database,
  time: number,
  limit: number,
): Promise<{ id: string; workspaceId: string }[]> {
  return (
    db
      .select({ id: messages.id, workspaceId: messages.workspaceId })
      .from(messages)
      // As its index says it: a parameter would keep SQLite from using that.
      .where(and(sql`${messages.status} = 'queued'`, lte(messages.nextAttemptAt, time)))
      .orderBy(asc(messages.nextAttemptAt))
      .limit(limit)
  );
}

/** Whose a message is that a queue message names by its id alone. */
export async function findMessageWorkspace(db: Database, id: string): Promise<string | undefined> {
  const row = await db
    .select({ workspaceId: messages.workspaceId })
    .from(messages)
    .where(eq(messages.id, id))
    .get();
  return row?.workspaceId;
}

const MAY_BE_SENT = workspaceAllows("?2", ["'salesbot'"]);

/**
 * Takes a message that is due, for one attempt; until `leaseUntil` nobody else gets it. While its
 * workspace may not send it, it is parked. Answers how many attempts that makes; undefined: it is
 * not due.
 */
export async function takeMessage(
  db: Database,
  workspaceId: string,
  id: string,
  now: number,
  leaseUntil: number,
): Promise<number | undefined> {
  const taken = await db.$client
    .prepare(
      `UPDATE messages SET attempts_count = attempts_count + ${MAY_BE_SENT},
         next_attempt_at = CASE WHEN ${MAY_BE_SENT} THEN ?4 END
       WHERE id = ?1 AND workspace_id = ?2 AND status = 'queued' AND next_attempt_at <= ?3
       RETURNING attempts_count AS attempts, next_attempt_at AS leasedUntil`,
    )
    .bind(id, workspaceId, now, leaseUntil)
    .first<{ attempts: number; leasedUntil: number | null }>();
  return taken && taken.leasedUntil !== null ? taken.attempts : undefined;
}

/** Has up to `limit` parked messages of a workspace be due again; their ids. */
export async function unparkMessages(
  db: Database,
  workspaceId: string,
  limit: number,
  now: number,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `UPDATE messages SET next_attempt_at = ?3 WHERE id IN (
         SELECT id FROM messages INDEXED BY messages_parked WHERE workspace_id = ?1
           AND status = 'queued' AND next_attempt_at IS NULL ORDER BY id LIMIT ?2)
       RETURNING id`,
    )
    .bind(workspaceId, limit, now)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

/** One attempt of a message: the next one has another count. */
export type Attempt = Pick<MessageRow, "id" | "attemptsCount">;
export type AttemptEnd = Pick<
  MessageRow,
  "status" | "reason" | "sentAt" | "nextAttemptAt" | "updatedAt"
>;

/** SQL of whether a message still waits for the end of an attempt: ?1 is its id, ?2 the count. */
export const OF_ATTEMPT =
  "messages.id = ?1 AND messages.attempts_count = ?2 AND messages.status = 'queued'";

/** The statements that write how an attempt ended, with its event; the last changes the message. */
export function attemptEnding(
  db: Database,
  { id, attemptsCount }: Attempt,
  { status, reason, sentAt, nextAttemptAt, updatedAt }: AttemptEnd,
  event: EventRow | undefined,
): D1PreparedStatement[] {
  const d1 = db.$client;
  const update = d1
    .prepare(
      `UPDATE messages SET status = ?3, reason = ?4, sent_at = ?5, next_attempt_at = ?6,
         updated_at = ?7 WHERE ${OF_ATTEMPT}`,
    )
    .bind(id, attemptsCount, status, reason, sentAt, nextAttemptAt, updatedAt);
  // The event first: both ask for the status that the update then changes.
  const told = event && [
    d1
      .prepare(insertEventsFrom(`messages, json_each(?3) AS event WHERE ${OF_ATTEMPT}`))
      .bind(id, attemptsCount, JSON.stringify([event])),
  ];
  return [...(told ?? []), update];
}

/**
 * Writes how an attempt ended, with its event, unless another attempt has begun since. The event, if
 * somebody wants it.
 */
export async function finishAttempt(
  db: Database,
  attempt: Attempt,
  end: AttemptEnd,
  event: EventRow | undefined,
): Promise<string | undefined> {
  return findWanted(await db.$client.batch(attemptEnding(db, attempt, end, event)));
}
