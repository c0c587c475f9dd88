import { describe, expect, it } from "vitest";
import { toContactQuery } from "../../../../src/features/salesbot/contacts/contact-selection.ports.ts";
import type { ContactSelection } from "../../../../src/features/salesbot/contacts/contact-selection.ts";
import {
  countContacts,
  selectContacts,
} from "../../../../src/features/salesbot/contacts/contacts.service.ts";
import { sanitise } from "../../../../src/features/salesbot/segments/conditions.ts";
import { notingDatabase, planOf } from "../../../support/query-plan.ts";

const EVERYONE: ContactSelection = {
  stageId: null,
  includeTags: [],
  excludeTags: [],
  minDaysInactive: null,
  conditions: null,
};
const ID = crypto.randomUUID();
const PAGE = { limit: 25, beforeId: ID };

/** How the first page, a later page and the count of a definition would be run. */
async function plansOf(definition: Partial<ContactSelection>): Promise<string[][]> {
  const query = toContactQuery({ ...EVERYONE, ...definition }, Date.now());
  const { db, statements } = notingDatabase();
  await selectContacts(db, ID, query, { ...PAGE, beforeId: undefined });
  await selectContacts(db, ID, query, PAGE);
  await countContacts(db, ID, [query]);
  const parameters = [[26], [26, ID], []];
  return Promise.all(
    statements.map((sql, at) => planOf(sql, [ID, ...query.values, ...(parameters[at] ?? [])])),
  );
}

describe("how a segment is read", () => {
  it.each([
    [
      "a stage",
      { stageId: ID },
      /^SEARCH contacts USING (COVERING )?INDEX contacts_stage \(workspace_id=\? AND stage_id=\?/,
    ],
    [
      "a tag",
      { includeTags: [ID] },
      /^SEARCH contact_tags USING COVERING INDEX contact_tags_tag \(tag_id=\?/,
    ],
    [
      "inactivity",
      { minDaysInactive: 30 },
      /^SEARCH contacts USING (COVERING )?INDEX contacts_inactive \(workspace_id=\? AND inactive_since<\?\)/,
    ],
  ])("%s is looked up in its index, whatever else is asked", async (_, definition, first) => {
    const { conditions } = sanitise({
      groups: [{ rules: [{ field: "name", op: "contains", value: "a" }] }],
    });
    for (const more of [{}, { conditions, excludeTags: [crypto.randomUUID()] }]) {
      for (const plan of await plansOf({ ...definition, ...more })) {
        expect(plan.find((step) => /contact(s|_tags)\b/.test(step))).toMatch(first);
        expect(plan.filter((step) => /^SCAN (?!json_each)/.test(step))).toEqual([]);
      }
    }
  });

  it.each([
    ["a stage", { stageId: ID }],
    ["a tag", { includeTags: [ID] }],
    ["nothing", {}],
  ])("%s gives its contacts in their order, without sorting", async (_, definition) => {
    const [firstPage = [], nextPage = []] = await plansOf(definition);
    for (const plan of [firstPage, nextPage]) {
      expect(plan.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY"))).toEqual([]);
    }
  });
});
