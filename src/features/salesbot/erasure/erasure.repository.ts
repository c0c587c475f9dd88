import { type ErasureRow, erasureAdvance } from "../../../events/erasures.repository.ts";
import { insertErasureFrom } from "../../../events/events.ports.ts";
import type { Context } from "../../../platform/context/context.ts";
import { lastOfNextMessages, messagesErasure } from "../messages/messages.ports.ts";

/** Begins an erasure of somebody whose contact is gone already. */
export async function insertErasure(
  { db, workspaceId }: Context,
  subject: string,
  time: number,
): Promise<void> {
  await db.$client
    .prepare(insertErasureFrom("(SELECT 1) WHERE true", "?3"))
    .bind(subject, workspaceId, time)
    .run();
}

/**
 * Erases the next messages of an erasure's subject, up to `limit`, in one transaction with where
 * it is then. The position behind them; undefined: there are no more.
 */
export async function eraseNextMessages(
  { db, workspaceId }: Context,
  erasure: ErasureRow,
  limit: number,
  time: number,
): Promise<string | undefined> {
  const { subject, place } = erasure;
  const bound: [string, string, string, number] = [workspaceId, subject, erasure.position, limit];
  const position = await lastOfNextMessages(db, bound);
  if (position === undefined) return undefined;
  await db.$client.batch([
    messagesErasure(db, bound, time),
    erasureAdvance(db, erasure, { place, position, finishedAt: null }),
  ]);
  return position;
}
