import { describe, expect, it } from "vitest";
import {
  countSlice,
  selectSlice,
} from "../../../../src/features/salesbot/contacts/contact-scan.ports.ts";
import { toContactScan } from "../../../../src/features/salesbot/contacts/contact-selection.ports.ts";
import type { ContactSelection } from "../../../../src/features/salesbot/contacts/contact-selection.ts";
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
const SLICE = { beforeId: ID, contacts: 500 };

/** How a slice of a definition is looked through, and counted: each statement's plan. */
async function plansOf(definition: Partial<ContactSelection>): Promise<string[][]> {
  const scan = toContactScan({ ...EVERYONE, ...definition }, Date.now());
  const { db, statements } = notingDatabase();
  await selectSlice(db, ID, scan, SLICE, 26);
  await countSlice(db, ID, scan, SLICE);
  const bound = [ID, scan.values, SLICE.beforeId, SLICE.contacts];
  const isPage = (sql: string) => sql.includes("?5");
  return Promise.all(statements.map((sql) => planOf(sql, isPage(sql) ? [...bound, 26] : bound)));
}

describe("how a segment is read", () => {
  it("each list from its own part of the values: what json_each is given it parses whole", () => {
    const rule = { field: "country", op: "in", value: ["GB", "IE"] };
    const { conditions } = sanitise({ groups: [{ rules: [rule, { ...rule, op: "not_in" }] }] });
    const more = { includeTags: [ID, crypto.randomUUID()], excludeTags: [crypto.randomUUID()] };
    const { where } = toContactScan({ ...EVERYONE, ...more, conditions }, Date.now());
    expect(where.match(/json_each\(/g)).toHaveLength(4);
    expect(where.match(/json_each\(\?2 -> \d+\)/g)).toHaveLength(4);
  });

  it.each([
    [
      "a stage",
      { stageId: ID },
      /^SEARCH contacts USING (COVERING )?INDEX contacts_stage \(workspace_id=\? AND stage_id=\? AND id[<>]/,
    ],
    [
      "a tag",
      { includeTags: [ID] },
      /^SEARCH contact_tags USING COVERING INDEX contact_tags_tag \(tag_id=\? AND contact_id[<>]/,
    ],
    [
      "inactivity",
      { minDaysInactive: 30 },
      /^SEARCH contacts USING (COVERING )?INDEX contacts_workspace \(workspace_id=\? AND id[<>]/,
    ],
    [
      "nothing",
      {},
      /^SEARCH contacts USING (COVERING )?INDEX contacts_workspace \(workspace_id=\? AND id[<>]/,
    ],
  ])(
    "%s: by its index in the order of ids, whatever else is asked, and nothing is sorted",
    async (_, definition, first) => {
      const { conditions } = sanitise({
        groups: [{ rules: [{ field: "name", op: "contains", value: "a" }] }],
      });
      for (const more of [{}, { conditions, excludeTags: [crypto.randomUUID()] }]) {
        const plans = await plansOf({ ...definition, ...more });
        expect(plans).toHaveLength(3);
        for (const plan of plans) {
          expect(plan.find((step) => /^SEARCH contact(s|_tags)\b/.test(step))).toMatch(first);
          expect(plan.filter((step) => /^SCAN (?!json_each|slice|\()/.test(step))).toEqual([]);
          expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
        }
      }
    },
  );
});
