/** What the erasure of a contact needs of the submissions table. */
import { type ErasureRow, erasureAdvance } from "../../../events/erasures.repository.ts";
import type { Context } from "../../../platform/context/context.ts";
import { removeSubmissions, submissionRemovals } from "./submission-removal.repository.ts";

/** Ids of submissions in their order: those behind `after`, so many. */
interface Slice {
  after: string;
  limit: number;
}

async function findSubmissionsOf(
  { db, workspaceId }: Context,
  contactId: string,
  { after, limit }: Slice,
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id FROM submissions INDEXED BY submissions_contact
       WHERE contact_id = ?1 AND id > ?2 AND workspace_id = ?3 ORDER BY id LIMIT ?4`,
    )
    .bind(contactId, after, workspaceId, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Whether there is a submission of a contact, which outlives it. */
export async function hasSubmissionsOf(ctx: Context, contactId: string): Promise<boolean> {
  return (await findSubmissionsOf(ctx, contactId, { after: "", limit: 1 })).length > 0;
}

/**
 * Makes the next submissions with an address a contact's, who has it: forms that make no contacts
 * do not say whose they are. The last of them; undefined: there are no more. Those that are the
 * contact's already are passed over, however many: whoever begins anew goes on.
 */
export async function claimNextSubmissions(
  { db, workspaceId }: Context,
  { id, email }: { id: string; email: string },
  { after, limit }: Slice,
): Promise<string | undefined> {
  const { results } = await db.$client
    .prepare(
      `UPDATE submissions SET contact_id = ?1, revision = lower(hex(randomblob(16)))
       WHERE id IN (SELECT found.submission_id FROM submission_emails AS found
           CROSS JOIN submissions AS sent ON sent.id = found.submission_id
         WHERE found.workspace_id = ?2 AND found.email = ?3 AND found.submission_id > ?4
           AND sent.contact_id IS NOT ?1
         ORDER BY found.submission_id LIMIT ?5)
         AND +workspace_id = ?2
       RETURNING id`,
    )
    .bind(id, workspaceId, email.toLowerCase(), after, limit)
    .all<{ id: string }>();
  return results
    .map((claimed) => claimed.id)
    .sort()
    .at(-1);
}

/** Deletes the next submissions of a contact, up to `limit`; how many it did. */
export async function removeNextSubmissions(
  ctx: Context,
  contactId: string,
  limit: number,
  time: number,
): Promise<number> {
  const ids = await findSubmissionsOf(ctx, contactId, { after: "", limit });
  if (ids.length > 0) await removeSubmissions(ctx.db, doomed(ctx, ids), time);
  return ids.length;
}

/**
 * Deletes the next submissions of an erasure's subject, up to `limit`, in one transaction with where
 * it is then. The position behind them; undefined: there are no more.
 */
export async function eraseNextSubmissions(
  ctx: Context,
  erasure: ErasureRow,
  limit: number,
  time: number,
): Promise<string | undefined> {
  const { subject, place } = erasure;
  const ids = await findSubmissionsOf(ctx, subject, { after: erasure.position, limit });
  const position = ids.at(-1);
  if (position === undefined) return undefined;
  await ctx.db.$client.batch([
    ...submissionRemovals(ctx.db, doomed(ctx, ids), time),
    erasureAdvance(ctx.db, erasure, { place, position, finishedAt: null }),
  ]);
  return position;
}

function doomed({ workspaceId }: Context, ids: string[]) {
  return ids.map((id) => ({ id, workspaceId }));
}
