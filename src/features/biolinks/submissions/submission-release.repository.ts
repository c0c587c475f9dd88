import { findWanted, insertEventsFrom } from "../../../events/event-insertion.ports.ts";
import { type EventRow, isErased } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { PreparedContact } from "../../salesbot/contacts/contact-offers.ts";
import { standingContact } from "../../salesbot/contacts/contacts.ports.ts";
import { joinDomain } from "../domains/domains.ports.ts";
import { joinPage } from "../pages/pages.ports.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

/** A submission as it was read, as it is to be, and what is written with it. */
export interface Release {
  before: SubmissionRow;
  after: SubmissionRow;
  event: EventRow | undefined;
  contact: PreparedContact | undefined;
}

export interface Released {
  /** The event, if somebody wants it. */
  wanted: string | undefined;
  /** Of its page's domain; undefined: it is the platform's, or the page is gone. */
  host: string | undefined;
}

/** The contact that a submission names, for a release that is to find it as it is; if it stands. */
export async function findNamedContact(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<PreparedContact | undefined> {
  const bound = [id, workspaceId];
  const stands = (first: number) => standingContact(first, false);
  const row = await db.$client
    .prepare(`SELECT ${stands(1)} AS stands`)
    .bind(...bound)
    .first<{ stands: number }>();
  return row?.stands === 1 ? { id, statements: [], stands: { sql: stands, bound } } : undefined;
}

/**
 * Accepts a submission with its event and its contact, all or nothing. @throws a missing `submissions.id` when the submission or the contact is another by now; a
 * unique conflict when its form has one of this address
 */
export async function releaseSubmission(
  db: Database,
  { before, after, event, contact }: Release,
): Promise<Released> {
  const d1 = db.$client;
  // Without an id, which the table refuses: then the whole batch is undone.
  const unless = (holds: string, bound: unknown[]) =>
    d1.prepare(`INSERT INTO submissions (id) SELECT NULL WHERE NOT ${holds}`).bind(...bound);
  const { id, workspaceId, revision, pageId } = before;
  const { contactId, isTold, dueAt } = after;
  const answers = await d1.batch([
    unless(
      `EXISTS (SELECT 1 FROM submissions
         WHERE id = ?1 AND workspace_id = ?2 AND revision = ?3)`,
      [id, workspaceId, revision],
    ),
    d1
      .prepare(
        `UPDATE submissions SET status = 'accepted', contact_id = ?3, is_told = ?4, due_at = ?5,
           revision = ?6
         WHERE id = ?1 AND workspace_id = ?2`,
      )
      .bind(id, workspaceId, contactId, isTold ? 1 : 0, dueAt, after.revision),
    ...(event
      ? [d1.prepare(insertEventsFrom("json_each(?1) AS event")).bind(JSON.stringify([event]))]
      : []),
    ...(contact
      ? [...contact.statements, unless(contact.stands.sql(1), contact.stands.bound)]
      : []),
    // An erasure goes by the contact that the submission named: it is not to miss it.
    ...(before.contactId !== null && before.contactId !== contactId
      ? [unless(`NOT ${isErased("?1", "?2")}`, [before.contactId, workspaceId])]
      : []),
    d1
      .prepare(
        `SELECT home.host FROM (SELECT ?1 AS id) AS asked
         CROSS ${joinPage("page", "asked.id", "?2")} CROSS ${joinDomain("home", "page.domain_id")}`,
      )
      .bind(pageId, workspaceId),
  ]);
  const [page] = (answers.at(-1)?.results ?? []) as { host: string }[];
  return { wanted: findWanted(answers), host: page?.host };
}
