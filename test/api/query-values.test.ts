import { describe, expect, it } from "vitest";
import { createTarget, describedOperations } from "../support/operations.ts";
import { createWorkspace } from "../support/workspace.ts";

/** Rows of numbers are smaller than records: a page may hold more. */
const MOST: Record<string, number> = { getAnalytics: 1000 };

describe("a limit", () => {
  it("is 1 to 100 (of numbers 1000) in decimal digits, in every list", async () => {
    const { sendTo } = await createTarget();
    const lists = (await describedOperations()).filter(({ query }) =>
      query.some(([name]) => name === "limit"),
    );
    expect(lists.length).toBeGreaterThan(8);
    for (const list of lists) {
      const most = MOST[list.operationId] ?? 100;
      for (const limit of ["0x10", "1e1"]) {
        const { status, body } = await sendTo(list, { query: `?limit=${limit}` });
        expect([list.path, limit, status, body.errors]).toEqual([
          list.path,
          limit,
          422,
          { limit: [`Must be a whole number from 1 to ${most}.`] },
        ]);
      }
    }
  });

  it.each([
    ["%2B5", 422],
    ["%205", 422],
    ["5%20", 422],
    ["5.0", 422],
    ["-1", 422],
    ["0", 422],
    ["101", 422],
    ["", 200],
    ["%20%09", 200],
    ["٥", 422],
    ["0b1", 422],
    ["1", 200],
    ["007", 200],
    ["100", 200],
  ])("%j is answered %i", async (limit, expected) => {
    const workspace = await createWorkspace();
    const { status } = await workspace.send("GET", `/api/v1/contacts?limit=${limit}`);
    expect(status).toBe(expected);
  });

  it("is 25 when it is blank", async () => {
    const workspace = await createWorkspace();
    const contacts = Array.from({ length: 26 }, (_, n) => ({ name: `Contact ${n}` }));
    await workspace.send("POST", "/api/v1/contacts/import", { body: { contacts } });
    const { body } = await workspace.send("GET", "/api/v1/contacts?limit=&cursor=");
    expect(body.data).toHaveLength(25);
  });
});

describe("a switch in a query", () => {
  it.each([
    ["true", 200],
    ["false", 200],
    ["TRUE", 422],
    ["1", 422],
    ["yes", 422],
  ])("%j is answered %i", async (test, expected) => {
    const { workspace, ids } = await createTarget();
    const path = `/api/v1/workspace-webhooks/endpoints/${ids.endpoint}/deliveries?test=${test}`;
    const { status, body } = await workspace.send("GET", path);
    expect(status).toBe(expected);
    if (expected === 422) expect(body.errors).toEqual({ test: ["Must be true or false."] });
  });
});

describe("a parameter that is given twice", () => {
  it.each([
    ["status=active&status=paused", 422],
    ["status=active&status=%FF", 422],
    ["status=active&status=active", 200],
    ["unknown=1&unknown=2", 200],
  ])("%s is answered %i", async (query, expected) => {
    const workspace = await createWorkspace();
    const { status, body } = await workspace.send("GET", `/api/v1/biolinks/links?${query}`);
    expect(status).toBe(expected);
    if (expected === 422) expect(Object.keys(body.errors)).toEqual(["status"]);
  });
});
