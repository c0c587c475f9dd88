import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import type { PageRequest } from "../../../api/pagination.ts";
import type { Database } from "../../../platform/db/client.ts";
import { type Joined, type Part, sourcesOf, type Walk, walk } from "../../../platform/db/walk.ts";
import { leastIdAt } from "../../../platform/ids.ts";
import type { SubmissionFilter } from "./submission-inbox.schemas.ts";
import type { SubmissionRow } from "./submissions.repository.ts";
import { submissionEmails, submissions } from "./submissions.table.ts";

export async function findSubmission(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<SubmissionRow | undefined> {
  return db
    .select()
    .from(submissions)
    .where(and(eq(submissions.workspaceId, workspaceId), eq(submissions.id, id)))
    .get();
}

const OF_EMAIL: Joined = {
  table: submissionEmails,
  join: sql`CROSS JOIN ${submissions} ON ${submissions.id} = ${submissionEmails.submissionId}`,
};

/** As partial indexes say it: a parameter would keep SQLite from using them. */
function switched(column: string, isOn: boolean | undefined): SQL | undefined {
  return isOn === undefined ? undefined : sql.raw(`submissions.${column} = ${isOn ? 1 : 0}`);
}

/** By the index that leaves the fewest, as a rule: one person's, what is starred, a form's, a page's. */
function walkedFor(workspaceId: string, filter: SubmissionFilter): Walk {
  const { status, page, block, contact, email, is_read, is_starred, since } = filter;
  const own = eq(submissions.workspaceId, workspaceId);
  const asked = {
    status: status ? eq(submissions.status, status) : undefined,
    page: page ? eq(submissions.pageId, page) : undefined,
    block: block ? eq(submissions.blockId, block) : undefined,
    contact: contact ? eq(submissions.contactId, contact) : undefined,
    isRead: switched("is_read", is_read),
    isStarred: switched("is_starred", is_starred),
  };
  const sinceId = since === undefined ? undefined : leastIdAt(since);
  const through = (index: string, is: SQL | undefined): Walk => ({
    index,
    is: and(is, sinceId ? gte(submissions.id, sinceId) : undefined),
    filter: and(own, ...Object.values(asked)),
  });
  if (email) {
    const order = sql`${submissionEmails.submissionId}`;
    const is = and(
      eq(submissionEmails.workspaceId, workspaceId),
      eq(submissionEmails.email, email.toLowerCase()),
      sinceId ? gte(order, sinceId) : undefined,
    );
    return { index: OF_EMAIL, is, order, filter: and(own, ...Object.values(asked)) };
  }
  if (asked.contact) return through("submissions_contact", asked.contact);
  if (is_starred) return through("submissions_starred", and(own, asked.isStarred));
  if (asked.block) return through("submissions_block", and(own, asked.block));
  if (asked.page) return through("submissions_page", and(own, asked.page));
  if (is_read === false) return through("submissions_unread", and(own, asked.isRead));
  if (asked.status) return through("submissions_status", and(own, asked.status));
  return through("submissions_workspace", own);
}

/** Newest first. Where few submissions have what is asked, the page may end early. */
export async function listSubmissions(
  db: Database,
  workspaceId: string,
  filter: SubmissionFilter,
  { limit, beforeId }: PageRequest,
): Promise<Part<SubmissionRow>> {
  const page = { limit, beforeId: earlierId(beforeId, filter.until) };
  return walk<SubmissionRow>(db, submissions, walkedFor(workspaceId, filter), page);
}

/** The place where a list begins: before an id, and before a time. */
function earlierId(beforeId: string | undefined, until: number | undefined): string | undefined {
  const ends = [beforeId, until === undefined ? undefined : leastIdAt(until)];
  return ends.filter((end) => end !== undefined).sort()[0];
}

/** A submission that is to be in an export: what it takes, and the ids of the fields it answers. */
export interface Exportable {
  id: string;
  /** Null: it is not asked for. */
  bytes: number | null;
  blockId: string;
  fields: string | null;
}

/** The next submissions of a walk, `limit` of them, be they asked for or not: what an export holds. */
export async function findExportable(
  db: Database,
  workspaceId: string,
  filter: SubmissionFilter,
  { limit, beforeId }: PageRequest,
): Promise<Exportable[]> {
  const { filter: asked, ...walked } = walkedFor(workspaceId, filter);
  const { records } = sourcesOf(submissions, walked, earlierId(beforeId, filter.until));
  const looked = sql`(${records} LIMIT ${limit}) AS ${submissions}`;
  const ofAsked = (what: SQL) => sql`CASE WHEN ${asked} THEN ${what} END`;
  const answered = sql`(SELECT json_group_array(field.value ->> 'id')
    FROM json_each(${submissions.fields}) AS field)`;
  return db
    .select({
      id: sql<string>`${submissions.id}`,
      bytes: sql<number | null>`${ofAsked(sql.raw("submissions.bytes"))}`,
      blockId: sql<string>`${submissions.blockId}`,
      fields: sql<string | null>`${ofAsked(answered)}`,
    })
    .from(looked);
}

/** Submissions by their ids, in that order; those that are gone are left out. */
export async function findSubmissions(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<SubmissionRow[]> {
  const rows = await db
    .select()
    .from(submissions)
    .where(
      and(
        sql`${submissions.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        // Not by the index of the workspace's submissions, of which there may be many.
        sql`+${submissions.workspaceId} = ${workspaceId}`,
      ),
    );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export type InboxChanges = Partial<
  Pick<SubmissionRow, "isRead" | "isStarred" | "status" | "spamReasons" | "dueAt">
> &
  Pick<SubmissionRow, "revision">;

/** Changes a submission if it still has this revision; the row as it is then, or undefined if not. */
export async function updateSubmission(
  db: Database,
  { workspaceId, id, revision }: SubmissionRow,
  changes: InboxChanges,
): Promise<SubmissionRow | undefined> {
  const [updated] = await db
    .update(submissions)
    .set(changes)
    .where(
      and(
        eq(submissions.id, id),
        eq(submissions.workspaceId, workspaceId),
        eq(submissions.revision, revision),
      ),
    )
    .returning();
  return updated;
}
