import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { FEATURES } from "../../src/access/workspaces/permissions.ts";
import type { Env } from "../../src/platform/config.ts";
import worker from "../../src/worker.ts";
import { operate, send } from "../support/http.ts";
import { createLink, createWorkspace, LINKS, sendAs } from "../support/workspace.ts";

const env = bindings as unknown as Env;

describe("the operator's API", () => {
  it("wants the operator's token", async () => {
    for (const headers of [
      {},
      { Authorization: "Bearer wrong" },
      { "x-api-key": "test-admin-token" },
    ]) {
      const { status, body } = await send("/admin/v1/workspaces", {
        headers: headers as Record<string, string>,
      });
      expect([status, body.code]).toEqual([401, "unauthenticated"]);
    }
  });

  it("is not there without a token in the configuration", async () => {
    for (const [method, authorization] of [
      ["GET", "Bearer "],
      ["GET", "Bearer test-admin-token"],
      ["GET", ""],
      ["PUT", ""],
    ] as const) {
      const request = new Request("http://localhost:8787/admin/v1/workspaces", {
        method,
        headers: { Authorization: authorization },
      });
      const answer = await worker.fetch(
        request,
        { ...env, ADMIN_TOKEN: "" },
        createExecutionContext(),
      );
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: "not_found" }]);
    }
  });

  it("makes a workspace with an owner, reads, lists and changes it", async () => {
    const made = await operate("POST", "/workspaces", { name: "Brand", plan: "pro" });
    expect(made.status).toBe(201);
    const { owner, ...workspace } = made.body.data;
    expect(workspace).toMatchObject({
      name: "Brand",
      plan: "pro",
      status: "active",
      features: [...FEATURES],
    });
    expect(owner.role).toBe("owner");
    expect((await operate("GET", `/workspaces/${workspace.id}`)).body.data).toEqual(workspace);
    // Other tests make workspaces at the same time.
    expect((await operate("GET", "/workspaces?limit=100")).body.data).toContainEqual(workspace);
    const change = { plan: "business", features: ["biolinks"] };
    const changed = await operate("PATCH", `/workspaces/${workspace.id}`, change);
    expect([changed.status, changed.body.data]).toMatchObject([200, change]);
  });

  it.each([
    ["POST", "/workspaces", {}, "name"],
    ["POST", "/workspaces", { name: "" }, "name"],
    ["POST", "/workspaces", { name: "a", plan: "gold" }, "plan"],
    ["POST", "/workspaces", { name: "a", features: ["x"] }, "features.0"],
    ["PATCH", "/workspaces/ID", { status: "closed" }, "status"],
    ["PATCH", "/workspaces/ID", { name: "b" }, "name"],
    ["POST", "/workspaces/ID/members", { role: "owner" }, "email"],
    ["POST", "/workspaces/ID/members", { email: "a@example.com", role: "boss" }, "role"],
    ["POST", "/workspaces/ID/keys", { permissions: ["*"] }, "name"],
    ["POST", "/workspaces/ID/keys", { name: "a", permissions: [] }, "permissions"],
    ["POST", "/workspaces/ID/keys", { name: "a", permissions: ["fly"] }, "permissions"],
    [
      "POST",
      "/workspaces/ID/keys",
      { name: "a", permissions: ["*"], expires_at: "tomorrow" },
      "expires_at",
    ],
    [
      "POST",
      "/workspaces/ID/keys",
      { name: "a", permissions: ["*"], member: crypto.randomUUID() },
      "member",
    ],
  ])("refuses %s %s with %j for its %s", async (method, path, input, field) => {
    const { id } = await createWorkspace();
    const { status, body } = await operate(method, path.replace("ID", id), input);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it("does not know workspaces, members, keys and links that are not there", async () => {
    const [id, none] = [(await createWorkspace()).id, crypto.randomUUID()];
    const calls: [string, string, object?][] = [
      ["GET", `/workspaces/${none}`],
      ["PATCH", `/workspaces/${none}`, {}],
      ["POST", `/workspaces/${none}/members`, { email: "a@example.com", role: "viewer" }],
      ["POST", `/workspaces/${none}/keys`, { name: "a", permissions: ["*"] }],
      ["PATCH", `/workspaces/${id}/members/${none}`, { role: "viewer" }],
      ["DELETE", `/workspaces/${id}/members/${none}`],
      ["DELETE", `/workspaces/${id}/keys/${none}`],
      ["PATCH", `/workspaces/${id}/links/${none}`, { disabled: true }],
      ["GET", "/workspaces/no-uuid"],
    ];
    for (const [method, path, body] of calls) {
      expect([path, (await operate(method, path, body)).status]).toEqual([path, 404]);
    }
  });

  it("looks for what is to be changed before it judges the change", async () => {
    const { id } = await createWorkspace();
    const nobody = crypto.randomUUID();
    for (const path of [
      `/workspaces/${id}/members/${nobody}`,
      `/workspaces/${id}/links/${nobody}`,
      `/workspaces/${id}/pages/${nobody}`,
      `/workspaces/${id}/files/${nobody}`,
      `/workspaces/${nobody}/links/${nobody}`,
    ]) {
      const { status, body } = await operate("PATCH", path, { unknown: 1 });
      expect([path, status, body.code]).toEqual([path, 404, "not_found"]);
    }
  });

  it("shows a key once, and keeps only its hash", async () => {
    const { id } = await createWorkspace();
    const input = { name: "Shop", permissions: ["biolinks:links:read"] };
    const issued = await operate("POST", `/workspaces/${id}/keys`, input);
    expect(issued.status).toBe(201);
    const { key, data } = issued.body;
    expect(key).toMatch(/^osk_[0-9A-Za-z]{60}$/);
    expect(data).toMatchObject({
      ...input,
      last_four: key.slice(-4),
      expires_at: null,
      revoked_at: null,
    });
    const list = await operate("GET", `/workspaces/${id}/keys`);
    expect(list.body.data[0]).toEqual(data);
    expect(list.text).not.toContain(key);
    const rows = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(data.id).all();
    expect(rows.results).toHaveLength(1);
    expect(JSON.stringify(rows.results)).not.toContain(key.slice(4, 40));
    expect((await sendAs(key, "GET", LINKS)).status).toBe(200);
  });

  it("revokes a key as often as it is asked to", async () => {
    const workspace = await createWorkspace();
    const path = `/workspaces/${workspace.id}/keys/${workspace.keyId}`;
    expect((await operate("DELETE", path)).status).toBe(204);
    expect((await operate("DELETE", path)).status).toBe(204);
  });

  it("switches off the link of the workspace that is named, not of another", async () => {
    const [own, other] = [await createWorkspace(), await createWorkspace()];
    const { id } = (await createLink(own)).body.data;
    const off = { disabled: true };
    expect((await operate("PATCH", `/workspaces/${other.id}/links/${id}`, off)).status).toBe(404);
    const answer = await operate("PATCH", `/workspaces/${own.id}/links/${id}`, off);
    expect([answer.status, answer.body.data.disabled]).toEqual([200, true]);
  });
});
