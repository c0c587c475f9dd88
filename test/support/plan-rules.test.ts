import { describe, expect, it } from "vitest";
import { faultsOf } from "./plan-rules.ts";
import { planOf, uniqueIndexes } from "./query-plan.ts";

/** A statement, and how often it breaks a rule; its plan is the real database's. */
const STATEMENTS: [string, string, number][] = [
  ["a record by its key", "SELECT * FROM contacts WHERE id = ?", 0],
  [
    "records by a JSON parameter",
    "SELECT contacts.id FROM json_each(?) CROSS JOIN contacts ON contacts.id = value",
    0,
  ],
  [
    "a page in its order",
    "SELECT * FROM contacts WHERE workspace_id = ? ORDER BY id DESC LIMIT ?",
    0,
  ],
  ["a page of all there is", "SELECT * FROM contacts ORDER BY id DESC LIMIT ?", 0],
  [
    "what is due, so many",
    "SELECT id FROM domains WHERE check_at <= ? ORDER BY check_at LIMIT ?",
    0,
  ],
  ["few of a workspace", "SELECT * FROM webhook_endpoints WHERE workspace_id = ?", 0],
  ["all of a table", "SELECT * FROM contacts WHERE name = ?", 1],
  ["a page of all that match", "SELECT * FROM contacts WHERE name = ? LIMIT ?", 1],
  [
    "what is one by all columns of its index",
    "SELECT id FROM contacts WHERE workspace_id = ? AND external_id = ?",
    0,
  ],
  [
    "whether there is any",
    "SELECT id FROM domains WHERE id = ? AND EXISTS (SELECT 1 FROM links WHERE domain_id = domains.id)",
    0,
  ],
  [
    "a page of what is counted under another name",
    "SELECT (SELECT count(*) FROM contact_tags AS label WHERE label.contact_id = contact_tags.contact_id) FROM contact_tags WHERE tag_id = ? LIMIT ?",
    0,
  ],
  [
    "a page as the query builder writes it",
    'select "id", "name" from "tags" where ("tags"."workspace_id" = ? and "tags"."id" < ?) order by "tags"."id" desc limit ?',
    0,
  ],
  ["the end of an index", "SELECT max(id) AS last FROM links WHERE workspace_id = ?", 0],
  [
    "all of a workspace beside a page of something else",
    "SELECT * FROM links WHERE workspace_id = ? AND domain_id = (SELECT id FROM domains WHERE workspace_id = ? LIMIT 1)",
    1,
  ],
  [
    "all of a workspace's, changed, by a page of something else",
    "UPDATE contacts SET name = NULL WHERE workspace_id = ? AND stage_id IN (SELECT id FROM stages WHERE workspace_id = ? LIMIT 5)",
    1,
  ],
  [
    "all with the first columns of an index",
    "SELECT * FROM deliveries WHERE workspace_id = ? AND target_id = ?",
    1,
  ],
  [
    "a sum over a target's",
    "SELECT count(*) FROM deliveries WHERE target_id = ? AND status = 'failed'",
    1,
  ],
  [
    "a value that is a sum",
    "SELECT (SELECT count(*) FROM links WHERE workspace_id = workspaces.id) FROM workspaces WHERE id = ?",
    1,
  ],
  [
    "few, set to what their columns hold",
    "UPDATE deliveries SET next_attempt_at = iif(next.test, ?, deliveries.created_at) FROM (SELECT id AS next_id, test FROM deliveries WHERE target_id = ? AND status = 'pending' LIMIT 5) AS next WHERE deliveries.id = next.next_id",
    0,
  ],
  [
    "whether there is any yet of what is written",
    "INSERT INTO link_days SELECT id, 0, 0, 0 FROM links WHERE id = ? AND EXISTS (SELECT 1 FROM link_days AS known WHERE known.link_id = links.id)",
    0,
  ],
  ["all of a workspace", "SELECT count(*) FROM links WHERE workspace_id = ?", 1],
  ["what is due, without end", "SELECT id FROM domains WHERE check_at <= ?", 1],
  [
    "a page in another order",
    "SELECT * FROM contacts WHERE workspace_id = ? ORDER BY name LIMIT ?",
    1,
  ],
  [
    "a table without the index that it needs",
    "SELECT 1 FROM json_each(?) JOIN links ON title = value",
    1,
  ],
  [
    "a scan behind a key",
    "SELECT 1 FROM contacts WHERE id = ? AND NOT EXISTS (SELECT 1 FROM links WHERE title = contacts.name)",
    1,
  ],
  [
    "a change of a workspace's records",
    "UPDATE contacts SET name = NULL WHERE workspace_id = ?",
    1,
  ],
];

describe("the rules that each query's plan is held to", () => {
  it.each(STATEMENTS)("say of %s", async (_, statement, count) => {
    const parameters = new Array(statement.split("?").length - 1).fill(null);
    const plan = await planOf(statement, parameters);
    expect(faultsOf(statement, plan, await uniqueIndexes()), plan.join("\n")).toHaveLength(count);
  });
});
