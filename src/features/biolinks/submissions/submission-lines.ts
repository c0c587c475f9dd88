import { BYTE_ORDER_MARK, csvLine } from "../../../api/csv.ts";
import type { Submission } from "./submission-inbox.schemas.ts";
import type { Answer } from "./submissions.schemas.ts";

/** So many fields have a column of their own; the answers of others stand in the last one. */
export const MAX_FIELD_COLUMNS = 200;

/** What a submission is besides its answers, by column. */
const OWN: Record<string, (submission: Submission) => string | number | null | undefined> = {
  id: ({ id }) => id,
  created_at: ({ created_at }) => created_at,
  status: ({ status }) => status,
  spam_reasons: ({ spam_reasons }) => spam_reasons.join(" "),
  page: ({ page }) => page,
  block: ({ block }) => block,
  block_name: ({ block_name }) => block_name,
  page_version: ({ page_version }) => page_version,
  contact: ({ contact }) => contact,
  country: ({ country }) => country,
  referrer_host: ({ referrer_host }) => referrer_host,
  utm_source: ({ utm }) => utm.source,
  utm_medium: ({ utm }) => utm.medium,
  utm_campaign: ({ utm }) => utm.campaign,
  is_read: ({ is_read }) => String(is_read),
  is_starred: ({ is_starred }) => String(is_starred),
  consents: ({ consents }) => (consents.length > 0 ? JSON.stringify(consents) : null),
};
const MORE = "more_answers";

/** The first line of a file: `fields` are the ids of those that have a column. */
export function csvHead(fields: readonly string[]): string {
  const names = [...Object.keys(OWN), ...fields.map((id) => `answers.${id}`), MORE];
  return BYTE_ORDER_MARK + csvLine(names);
}

export function csvOf(submission: Submission, fields: readonly string[]): string {
  const { answers } = submission;
  const more = Object.entries(answers).filter(([id]) => !fields.includes(id));
  return csvLine([
    ...Object.values(OWN).map((read) => read(submission)),
    ...fields.map((id) => (Object.hasOwn(answers, id) ? cellOf(answers[id]) : null)),
    more.length > 0 ? JSON.stringify(Object.fromEntries(more)) : null,
  ]);
}

function cellOf(answer: Answer | undefined): string | number | undefined {
  if (Array.isArray(answer)) return answer.join(", ");
  return typeof answer === "boolean" ? String(answer) : answer;
}

export function jsonOf(submission: Submission): string {
  return `${JSON.stringify(submission)}\n`;
}
