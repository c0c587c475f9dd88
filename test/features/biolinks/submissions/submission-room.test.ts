import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { honeypotName } from "../../../../src/features/biolinks/pages/blocks/form-names.ts";
import { CONTACTS, post } from "../../../support/contacts.ts";
import {
  createForm,
  EMAIL,
  fillIn,
  openForm,
  submissionsOf,
  WISH,
} from "../../../support/forms.ts";
import { send } from "../../../support/http.ts";
import { SUBMISSIONS } from "../../../support/submissions.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const ADA = { email: "ada@example.com", wish: "A bowl" };

/** A workspace that has stored a share of what its plan allows, and so many bytes more. */
async function fill({ id }: Workspace, share: number, bytes: number): Promise<void> {
  await env.DB.prepare(
    `UPDATE workspace_usage SET stored_bytes = ?3 + (SELECT plan_limits.stored_bytes * ?2
       FROM workspaces CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan
       WHERE workspaces.id = ?1) WHERE id = ?1`,
  )
    .bind(id, share, bytes)
    .run();
}

describe("what strangers send with forms", () => {
  it("takes nine tenths of what the plan allows, and leaves the rest to the workspace itself", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, {}, { spam: { block_words: ["casino"] } });
    await fill(workspace, 0.9, -10_000);
    expect((await fillIn(form, ADA)).status).toBe(303);
    await fill(workspace, 0.9, 0);
    const trap = honeypotName(form.block, ["email", "wish"]);
    const answers = [
      await fillIn(form, { ...ADA, wish: "A vase" }),
      await fillIn(form, { ...ADA, wish: "My casino" }),
      await fillIn(form, { ...ADA, [trap]: "x" }),
    ];
    for (const { status, headers, text } of answers) {
      expect([status, headers.get("Retry-After")]).toEqual([503, "60"]);
      expect(text).toContain("This cannot be taken just now.");
    }
    const json = await send(form.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: { _token: await openForm(form), ...ADA },
    });
    expect([json.status, json.headers.get("Retry-After"), json.body.code]).toEqual([
      503,
      "60",
      "overloaded",
    ]);
    expect(await submissionsOf(form)).toHaveLength(1);

    expect((await post(workspace, CONTACTS, { email: "bob@example.com" })).status).toBe(201);
    await fill(workspace, 1, 0);
    const full = await post(workspace, CONTACTS, { email: "eve@example.com" });
    expect([full.status, full.body.code]).toEqual([422, "storage_full"]);
  });

  it("is not released where its contact finds no room, and stays as it is", async () => {
    const workspace = await createWorkspace();
    const contact = { create: true, map: { email: "email" }, tags: [] };
    const settings = { fields: [EMAIL, WISH], contact };
    const form = await createForm(workspace, settings, { spam: { block_words: ["casino"] } });
    await fillIn(form, { ...ADA, wish: "My casino" });
    const [held] = await submissionsOf(form);
    await fill(workspace, 1, 0);
    const path = `${SUBMISSIONS}/${held.id}`;
    const refused = await post(workspace, `${path}/release`, {});
    expect([refused.status, refused.body.code]).toEqual([422, "storage_full"]);
    const { data } = (await workspace.send("GET", path)).body;
    expect(data).toMatchObject({ status: "held", contact: null });
  });
});
