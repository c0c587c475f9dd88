/**
 * SQL of a contact's labels as answers show them, by the SQL of its workspace's id. A label that was
 * deleted stands with its contacts until the job takes it from them: it is not shown meanwhile.
 */
import { deletedLabels } from "../labels/labels.ports.ts";

/** The condition of the rows of `contact_tags` that show. */
export function shownTags(workspaceId: string): string {
  return `contact_tags.contact_id = contacts.id
    AND contact_tags.tag_id NOT IN (${deletedLabels("tag", workspaceId)})`;
}

export function shownStage(workspaceId: string): string {
  const deleted = deletedLabels("stage", workspaceId);
  return `iif(contacts.stage_id IN (${deleted}), NULL, contacts.stage_id)`;
}

/**
 * The revision that goes with what is shown: whoever read a contact before its label was deleted
 * has an old one from that moment on. It ends with what is hidden, as `-2s` for two tags and the
 * stage, until the job gives the contact a new one.
 */
export function shownRevision(workspaceId: string): string {
  const tags = `(SELECT count(*) FROM contact_tags WHERE contact_tags.contact_id = contacts.id
      AND contact_tags.tag_id IN (${deletedLabels("tag", workspaceId)}))`;
  const stage = `iif(contacts.stage_id IN (${deletedLabels("stage", workspaceId)}), 's', '')`;
  return `contacts.revision || coalesce(nullif('-' || ${tags} || ${stage}, '-0'), '')`;
}

/** The fields of a contact, as it was read, that stand with a label that was deleted. */
export function hiddenFields({ revision }: { revision: string }): ("stage" | "tags")[] {
  const [, tags, stage] = /-(\d+)(s?)$/.exec(revision) ?? [];
  return [...(stage ? ["stage" as const] : []), ...(Number(tags) > 0 ? ["tags" as const] : [])];
}

export function hidesLabel(contact: { revision: string }): boolean {
  return hiddenFields(contact).length > 0;
}
