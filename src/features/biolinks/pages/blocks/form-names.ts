/** What programs like to fill in, and no browser or password manager does for people. */
const BAITS = [
  "subject",
  "topic",
  "comment",
  "feedback",
  "question",
  "remarks",
  "summary",
  "suggestion",
  "opinion",
  "inquiry",
  "proposal",
  "excerpt",
  "keywords",
  "category",
  "priority",
  "rating",
  "purpose",
  "project",
  "budget",
  "interests",
  "campaign",
];

/** The name of the input that a form's token is sent in: no field's id begins so. */
export const TOKEN_INPUT = "_token";

/** Before a form's block in the name of the place where its page says that it was sent. */
export const SENT = "sent-";

/**
 * The name of the input that people do not see: another in each form, never that of a field. There
 * are more baits than a form has fields, and the block's id says where the search begins.
 */
export function honeypotName(blockId: string, fieldIds: readonly string[]): string {
  let start = 0;
  for (const character of blockId) start = (start * 31 + character.charCodeAt(0)) % 65_521;
  const names = BAITS.map((_, index) => BAITS[(start + index) % BAITS.length] ?? "");
  return names.find((name) => !fieldIds.includes(name)) ?? "_more";
}
