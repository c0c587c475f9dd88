/**
 * SQL of a contact's labels as answers show them. A label that was deleted stands with its contacts
 * until the job takes it from them: it is not shown meanwhile.
 */
import { deletedLabels } from "../labels/labels.ports.ts";

const DELETED_TAGS = deletedLabels("tag", "contacts.workspace_id");
const DELETED_STAGES = deletedLabels("stage", "contacts.workspace_id");

/** The condition of the rows of `contact_tags` that show. */
export const SHOWN_TAGS = `contact_tags.contact_id = contacts.id
  AND contact_tags.tag_id NOT IN (${DELETED_TAGS})`;

export const SHOWN_STAGE = `iif(contacts.stage_id IN (${DELETED_STAGES}), NULL, contacts.stage_id)`;

/**
 * The revision that goes with what is shown: whoever read a contact before its label was deleted
 * has an old one from that moment on. It only counts up until the job gives it a new one.
 */
export const SHOWN_REVISION = `contacts.revision || coalesce(nullif(
  '-' || ((SELECT count(*) FROM contact_tags WHERE contact_tags.contact_id = contacts.id
      AND contact_tags.tag_id IN (${DELETED_TAGS}))
    + coalesce(contacts.stage_id IN (${DELETED_STAGES}), 0)), '-0'), '')`;
