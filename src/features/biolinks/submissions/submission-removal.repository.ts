import { eventErasures } from "../../../deliveries/erasure.repository.ts";
import { eventsOfSubjects } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

/** A submission that is to go: if a revision is named, only while it has that. */
export type Doomed = Pick<SubmissionRow, "id" | "workspaceId"> & { revision?: string };

/** SQL of those that stand, of rows ?1. */
const STANDING = `SELECT submissions.id, submissions.workspace_id FROM json_each(?1) AS doomed
  CROSS JOIN submissions ON submissions.id = doomed.value ->> 'id'
    AND +submissions.workspace_id = doomed.value ->> 'workspaceId'
    AND submissions.revision = coalesce(doomed.value ->> 'revision', submissions.revision)`;
const EVENTS = eventsOfSubjects(STANDING);

/**
 * The statements that delete submissions and all copies of them: what their events say, and what
 * receivers answered. The last one answers the ids of those that were there.
 */
export function submissionRemovals(
  db: Database,
  doomed: Doomed[],
  time: number,
): D1PreparedStatement[] {
  const rows = doomed.map(({ id, workspaceId, revision }) => ({ id, workspaceId, revision }));
  const json = JSON.stringify(rows);
  return [
    ...eventErasures(db, EVENTS, [json, null, null, null, time]),
    db.$client
      .prepare(`DELETE FROM submissions WHERE id IN (SELECT id FROM (${STANDING})) RETURNING id`)
      .bind(json),
  ];
}

/** Deletes submissions and all copies of them, all or none; the ids of those that were there. */
export async function removeSubmissions(
  db: Database,
  doomed: Doomed[],
  time: number,
): Promise<string[]> {
  const answers = await db.$client.batch<{ id: string }>(submissionRemovals(db, doomed, time));
  return answers.at(-1)?.results.map(({ id }) => id) ?? [];
}

/** The next submissions that an address is among the answers of, behind one. */
export async function findSubmissionsOfEmail(
  db: Database,
  workspaceId: string,
  email: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT submission_id AS id FROM submission_emails
       WHERE workspace_id = ?1 AND email = ?2 AND submission_id > ?3
       ORDER BY submission_id LIMIT ?4`,
    )
    .bind(workspaceId, email, after, limit)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** The submissions that are to go first of those that are due, whosever they are. */
export async function findDueSubmissions(
  db: Database,
  time: number,
  limit: number,
): Promise<{ id: string; workspaceId: string }[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT id, workspace_id AS workspaceId FROM submissions INDEXED BY submissions_due
       WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2`,
    )
    .bind(time, limit)
    .all<{ id: string; workspaceId: string }>();
  return results;
}
