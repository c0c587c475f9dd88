/** Contacts by what a list's filter asks: SQL where ?1 is the workspace and ?2 the filter as JSON. */
import type { Database } from "../../../platform/db/client.ts";
import { shownStage, shownTags } from "./contact-labels.repository.ts";
import type { ContactScan } from "./contact-scan.ports.ts";
import { type ContactRow, selectContacts } from "./contacts.repository.ts";
import type { ContactFilter } from "./contacts.schemas.ts";

/** What each parameter asks of a contact. A label that was deleted is nobody's any more. */
const ASKED: Record<keyof ContactFilter, string> = {
  external_id: "contacts.external_id = (?2 ->> 'external_id')",
  email: "lower(contacts.email) = lower(?2 ->> 'email')",
  channel: "contacts.channel = (?2 ->> 'channel')",
  status: "contacts.status = (?2 ->> 'status')",
  stage: `contacts.stage_id = (?2 ->> 'stage') AND ${shownStage("?1")} IS NOT NULL`,
  tag: `EXISTS (SELECT 1 FROM contact_tags
    WHERE contact_tags.tag_id = (?2 ->> 'tag') AND ${shownTags("?1")})`,
};

function parametersOf(filter: ContactFilter): (keyof ContactFilter)[] {
  const all = Object.keys(ASKED) as (keyof ContactFilter)[];
  return all.filter((name) => filter[name] !== undefined);
}

function whereOf(filter: ContactFilter): string {
  return parametersOf(filter)
    .map((name) => ASKED[name])
    .join(" AND ");
}

/** One at most: an external id is one contact's. */
export async function findFilteredContact(
  db: Database,
  workspaceId: string,
  filter: ContactFilter & { external_id: string },
): Promise<ContactRow | undefined> {
  const query = { from: "contacts", where: whereOf(filter), values: [JSON.stringify(filter)] };
  return (await selectContacts(db, workspaceId, query))[0];
}

/** How the contacts of a filter are found: by its tag, else its stage, else among all. */
export function toFilterScan(filter: ContactFilter): ContactScan {
  const source = filter.tag ? "tag" : filter.stage ? "stage" : "workspace";
  const asked = parametersOf(filter).length;
  return {
    source,
    key: `(?2 ->> '${source}')`,
    where: whereOf(filter),
    takesAll: asked === 1 && source !== "workspace",
    values: JSON.stringify(filter),
    weight: asked,
  };
}
