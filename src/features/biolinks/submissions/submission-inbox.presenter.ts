import { toTimestamp } from "../../../platform/time.ts";
import type { BlockNames } from "../pages/pages.ports.ts";
import type { Submission } from "./submission-inbox.schemas.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

/** A submission as the API answers it. */
export function presentSubmission(row: SubmissionRow, names: BlockNames): Submission {
  return {
    id: row.id,
    revision: row.revision,
    page: row.pageId,
    block: row.blockId,
    block_name: names.get(row.blockId) ?? null,
    page_version: row.pageVersion,
    status: row.status,
    spam_reasons: row.spamReasons,
    answers: row.answers,
    fields: row.fields,
    consents: row.consents,
    contact: row.contactId,
    country: row.country,
    referrer_host: row.referrerHost,
    utm: row.utm,
    is_read: row.isRead,
    is_starred: row.isStarred,
    created_at: toTimestamp(row.createdAt),
  };
}
