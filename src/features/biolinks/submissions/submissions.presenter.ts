import type { EventRow } from "../../../events/events.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { type SubmissionEventData, submissionEvents } from "./submissions.events.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

const channel = "all";

/** The event of a submission that is accepted, at once or by a release. */
export function receivedEvent(row: SubmissionRow): EventRow {
  return newEvent(row, submissionEvents.received, { channel, data: eventData(row) });
}

/** The event of a submission that waits for somebody. */
export function heldEvent(row: SubmissionRow): EventRow {
  const data = { ...eventData(row), reasons: row.spamReasons };
  return newEvent(row, submissionEvents.held, { channel, data });
}

function eventData(row: SubmissionRow): SubmissionEventData {
  return {
    id: row.id,
    page: row.pageId,
    block: row.blockId,
    page_version: row.pageVersion,
    answers: row.answers,
    fields: row.fields,
    consents: row.consents,
    contact: row.contactId,
    country: row.country,
    referrer_host: row.referrerHost,
    utm: row.utm,
    created_at: toTimestamp(row.createdAt),
  };
}
