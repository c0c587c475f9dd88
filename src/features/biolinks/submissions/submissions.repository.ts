import { workspaceAllows } from "../../../access/workspaces/workspaces.ports.ts";
import { findWanted, insertEventsFrom } from "../../../events/event-insertion.ports.ts";
import type { EventRow } from "../../../events/events.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { PreparedContact } from "../../salesbot/contacts/contact-offers.ts";
import { formCount } from "../pages/pages.ports.ts";
import { MAX_SPAM } from "./submission-verdict.ts";
import type { submissions } from "./submissions.table.ts";

export type SubmissionRow = typeof submissions.$inferSelect;

/** What is asked before something that was sent is judged. */
export interface Look {
  blockId: string;
  nonce: string;
  /** Empty: the same answers are no sign of the same sender. */
  digest: string;
  /** Duplicates are looked for from then on. */
  since: number;
  onlyEmail: string | null;
}

export interface Looked {
  /** It was sent before, with the same token. */
  isRepeat: boolean;
  isDuplicate: boolean;
  /** The form takes one of each address, and has one of this. */
  isKnown: boolean;
  accepted: number;
  spam: number;
  /** Whether the workspace has contacts. */
  hasContacts: boolean;
}

const IS_DUPLICATE = (block: string, digest: string, since: string) => `EXISTS (
  SELECT 1 FROM submissions INDEXED BY submissions_digest
  WHERE block_id = ${block} AND digest = ${digest} AND ${digest} <> '' AND created_at > ${since})`;

/** What the database knows when something is sent. */
export async function look(
  db: Database,
  workspaceId: string,
  { blockId, nonce, digest, since, onlyEmail }: Look,
): Promise<Looked> {
  const row = await db.$client
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM submissions INDEXED BY submissions_nonce
           WHERE block_id = ?1 AND nonce = ?2 AND workspace_id = ?3) AS isRepeat,
         ${IS_DUPLICATE("?1", "?4", "?5")} AS isDuplicate,
         EXISTS (SELECT 1 FROM submissions INDEXED BY submissions_only_email
           WHERE block_id = ?1 AND only_email = ?6 AND status <> 'spam'
             AND workspace_id = ?3) AS isKnown,
         ${formCount("accepted", "?1")} AS accepted, ${formCount("spam", "?1")} AS spam,
         ${workspaceAllows("?3", ["'salesbot'"])} AS hasContacts`,
    )
    .bind(blockId, nonce, workspaceId, digest, since, onlyEmail)
    .first<Record<keyof Looked, number>>();
  if (!row) throw new Error("A look at a form was not answered.");
  return {
    isRepeat: row.isRepeat === 1,
    isDuplicate: row.isDuplicate === 1,
    isKnown: row.isKnown === 1,
    accepted: row.accepted,
    spam: row.spam,
    hasContacts: row.hasContacts === 1,
  };
}

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
const AS_JSON: ReadonlySet<string> = new Set([
  "spamReasons",
  "answers",
  "fields",
  "consents",
  "utm",
  "emails",
]);

/** SQL of a row's column; an object that is null is no JSON `null`. */
function columnValue(name: string): string {
  if (name === "contactRule") return `nullif(row.value -> '$.contactRule', 'null')`;
  return `row.value ${AS_JSON.has(name) ? "->" : "->>"} '$.${name}'`;
}

const BLOCK = "row.value ->> '$.blockId'";
const IS_ANOTHER = `NOT ${IS_DUPLICATE(BLOCK, "row.value ->> '$.digest'", "?2")}`;
/** The form keeps no more spam than that; what is none is no duplicate, and has a place left. */
const HOLDS = `CASE row.value ->> '$.status' WHEN 'spam' THEN ${formCount("spam", BLOCK)} < ${MAX_SPAM}
  ELSE ${IS_ANOTHER} AND ${formCount("accepted", BLOCK)} < ?3 END`;

/** Without an id, which the table refuses, when that does not hold: then the whole batch is undone. */
const INSERT = `INSERT INTO submissions (${Object.values(COLUMNS).join(", ")})
  SELECT ${Object.keys(COLUMNS)
    .map((name) =>
      name === "id" ? `CASE WHEN ${HOLDS} THEN ${columnValue(name)} END` : columnValue(name),
    )
    .join(", ")}
  FROM json_each(?1) AS row`;

export interface NewSubmission {
  row: SubmissionRow;
  event: EventRow | undefined;
  contact: PreparedContact | undefined;
  /** Duplicates are looked for from then on. */
  since: number;
  /** How many accepted ones the form takes. */
  limit: number | undefined;
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export interface Inserted {
  /** One of the events, if somebody wants one. */
  wanted: string | undefined;
  /** Whether it took the form's last place. */
  isLast: boolean;
}

/**
 * Writes a submission with its event and its contact, all or nothing. @throws a missing
 * `submissions.id` when others were faster, so that the contact is another by now, the form full or
 * the answers a duplicate; a unique conflict when it stands already, or the form has one of this address
 */
export async function insertSubmission(
  db: Database,
  { row, event, contact, since, limit = NO_LIMIT }: NewSubmission,
): Promise<Inserted> {
  const d1 = db.$client;
  const answers = await d1.batch([
    d1.prepare(INSERT).bind(JSON.stringify([row]), since, limit),
    ...(event
      ? [d1.prepare(insertEventsFrom("json_each(?1) AS event")).bind(JSON.stringify([event]))]
      : []),
    ...(contact
      ? [
          ...contact.statements,
          d1
            .prepare(`INSERT INTO submissions (id) SELECT NULL WHERE NOT ${contact.stands.sql(1)}`)
            .bind(...contact.stands.bound),
        ]
      : []),
    ...(row.status === "accepted" && limit !== NO_LIMIT
      ? [
          d1
            .prepare(`SELECT ${formCount("accepted", "?1")} >= ?2 AS is_last`)
            .bind(row.blockId, limit),
        ]
      : []),
  ]);
  const rows = answers.flatMap(({ results }) => results as { is_last?: number }[]);
  return { wanted: findWanted(answers), isLast: rows.some(({ is_last }) => is_last === 1) };
}
