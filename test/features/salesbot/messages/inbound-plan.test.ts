import { expect, it } from "vitest";
import { contactHeardFrom } from "../../../../src/features/salesbot/contacts/contacts.ports.ts";
import { notingDatabase, planOf } from "../../../support/query-plan.ts";

it("what an inbound message changes, and tells, is found by keys alone", async () => {
  const { db, statements } = notingDatabase();
  const [id, createdAt] = [crypto.randomUUID(), Date.now()];
  const message = { id, workspaceId: id, contactId: id, createdAt };
  contactHeardFrom(db, message, "EXISTS (SELECT 1 FROM messages WHERE messages.id = ?4)", id);
  expect(statements).toHaveLength(2);
  const bound = [id, id, createdAt, id, id, "salesbot.contact.updated"];
  for (const [at, statement] of statements.entries()) {
    const plan = await planOf(statement, bound.slice(0, at === 0 ? 4 : 6));
    for (const table of ["contacts", "messages"]) {
      const read = plan.filter((step) => step.startsWith(`SEARCH ${table} `));
      expect(read).toEqual([expect.stringMatching(/\bid=\?\)$/)]);
    }
    // What is scanned is one event, and the tags and custom fields of one contact once it is found.
    expect(
      plan.filter((step) => /^SCAN (?!event\b|\(subquery|json_each VIRTUAL|CONSTANT)/.test(step)),
    ).toEqual([]);
    expect(plan.filter((step) => step.startsWith("SEARCH contact_tags")).length).toBe(at);
  }
});
