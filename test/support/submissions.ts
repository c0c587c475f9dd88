import { env } from "cloudflare:workers";
import { findWanted, insertEventsFrom } from "../../src/events/event-insertion.ports.ts";
import { announceEvents } from "../../src/events/events.service.ts";
import {
  heldEvent,
  receivedEvent,
} from "../../src/features/biolinks/submissions/submissions.presenter.ts";
import type { SubmissionRow } from "../../src/features/biolinks/submissions/submissions.repository.ts";
import { newId, newRevision } from "../../src/platform/ids.ts";
import { workIn } from "./work.ts";
import type { Workspace } from "./workspace.ts";

export const SUBMISSIONS = "/api/v1/biolinks/submissions";
const DAY = 24 * 60 * 60_000;

const COLUMNS: Record<keyof SubmissionRow, string> = {
  id: "id",
  workspaceId: "workspace_id",
  pageId: "page_id",
  blockId: "block_id",
  pageVersion: "page_version",
  status: "status",
  spamReasons: "spam_reasons",
  answers: "answers",
  fields: "fields",
  consents: "consents",
  contactId: "contact_id",
  contactRule: "contact_rule",
  country: "country",
  referrerHost: "referrer_host",
  utm: "utm",
  isRead: "is_read",
  isStarred: "is_starred",
  isTold: "is_told",
  nonce: "nonce",
  digest: "digest",
  onlyEmail: "only_email",
  emails: "emails",
  retentionDays: "retention_days",
  dueAt: "due_at",
  revision: "revision",
  createdAt: "created_at",
};
const FIELD = ([name]: [string, string]) => {
  const isJson = ["spamReasons", "answers", "fields", "consents", "contactRule", "utm", "emails"];
  return `row.value ->${isJson.includes(name) ? "" : ">"} '$.${name}'`;
};
const INSERT = `INSERT INTO submissions (${Object.values(COLUMNS).join(", ")})
  SELECT ${Object.entries(COLUMNS).map(FIELD).join(", ")} FROM json_each(?1) AS row`;

/** A submission as its form would store it; `given` stands in for parts of it. */
export function newSubmission(
  { id: workspaceId }: Pick<Workspace, "id">,
  given: Partial<SubmissionRow> = {},
): SubmissionRow {
  const createdAt = given.createdAt ?? Date.now();
  const answers = given.answers ?? { name: "Ada", email: "Ada@example.com" };
  const status = given.status ?? "accepted";
  return {
    id: newId(),
    workspaceId,
    pageId: newId(),
    blockId: newId(),
    pageVersion: 1,
    status,
    spamReasons: [],
    answers,
    fields: Object.keys(answers).map((id) => ({
      id,
      type: id === "email" ? "email" : "text",
      label: id,
      required: false,
    })),
    consents: [],
    contactId: null,
    contactRule: null,
    country: "GB",
    referrerHost: "instagram.com",
    utm: { source: "instagram" },
    isRead: false,
    isStarred: false,
    isTold: status === "accepted",
    nonce: newId(),
    digest: newId(),
    onlyEmail: null,
    emails: typeof answers.email === "string" ? [answers.email.toLowerCase()] : [],
    retentionDays: 365,
    dueAt: createdAt + 365 * DAY,
    revision: newRevision(),
    createdAt,
    ...given,
  };
}

/** Stores submissions with the events that a form would tell of them; one that somebody wants. */
export async function storeSubmissions(rows: SubmissionRow[]): Promise<string | undefined> {
  const events = rows.flatMap((row) => {
    if (row.status === "accepted") return receivedEvent(row);
    return row.status === "held" ? heldEvent(row) : [];
  });
  const answers = await env.DB.batch([
    env.DB.prepare(INSERT).bind(JSON.stringify(rows)),
    env.DB.prepare(insertEventsFrom("json_each(?1) AS event")).bind(JSON.stringify(events)),
  ]);
  return findWanted(answers);
}

/** Stores a submission and has its event told. */
export async function tellSubmission(workspace: Workspace, given: Partial<SubmissionRow> = {}) {
  const row = newSubmission(workspace, given);
  await announceEvents(workIn(workspace.id), await storeSubmissions([row]));
  return row;
}

export async function createSubmission(
  workspace: Workspace,
  given: Partial<SubmissionRow> = {},
): Promise<SubmissionRow> {
  const row = newSubmission(workspace, given);
  await storeSubmissions([row]);
  return row;
}
