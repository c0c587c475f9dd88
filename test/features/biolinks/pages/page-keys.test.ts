import { describe, expect, it } from "vitest";
import { operate } from "../../../support/http.ts";
import { createPage, HEADING, newHandle, PAGES } from "../../../support/pages.ts";
import { createWorkspace, issueKey, sendAs } from "../../../support/workspace.ts";

const BLOCK_TYPES = "/api/v1/biolinks/catalogue/block-types";

describe("a key of pages", () => {
  it.each([
    ["biolinks:pages:read", [200, 200, 200, 403, 403, 403, 403, 403, 403]],
    ["biolinks:pages:write", [403, 403, 403, 201, 200, 201, 200, 403, 403]],
    ["biolinks:pages:publish", [403, 403, 403, 403, 403, 403, 403, 200, 200]],
    ["biolinks:links:read", [403, 403, 403, 403, 403, 403, 403, 403, 403]],
  ])("with %s alone does what that says, and nothing else", async (permission, expected) => {
    const workspace = await createWorkspace();
    const { id } = await createPage(workspace);
    const { key } = await issueKey(workspace.id, { permissions: [permission] });
    const page = `${PAGES}/${id}`;
    const statuses = [];
    for (const [method, path, body] of [
      ["GET", PAGES],
      ["GET", `${page}/blocks`],
      ["GET", `${page}/versions`],
      ["POST", PAGES, { handle: newHandle(), title: "Ada" }],
      ["PATCH", page, { title: "B" }],
      ["POST", `${page}/blocks`, HEADING],
      ["PUT", `${page}/blocks`, { blocks: [HEADING] }],
      ["POST", `${page}/publish`],
      ["POST", `${page}/unpublish`],
    ] as const) {
      const headers = { "If-Match": "*" };
      statuses.push((await sendAs(key, method, path, { headers, ...(body && { body }) })).status);
    }
    expect(statuses).toEqual(expected);
  });

  it("reads what a page may have with the right to read", async () => {
    const workspace = await createWorkspace();
    const statusOf = async (permission: string) => {
      const { key } = await issueKey(workspace.id, { permissions: [permission] });
      return (await sendAs(key, "GET", BLOCK_TYPES)).status;
    };
    expect([await statusOf("biolinks:pages:read"), await statusOf("biolinks:links:read")]).toEqual([
      200, 403,
    ]);
  });
});

it.each([
  ["free", 5],
  ["pro", 50],
  ["business", 500],
])("a workspace of the plan %s may have %d pages", async (plan, pages) => {
  const { id } = await createWorkspace({ plan });
  const { body } = await operate("GET", `/workspaces/${id}/usage`);
  expect(body.data.limits.pages).toBe(pages);
});
