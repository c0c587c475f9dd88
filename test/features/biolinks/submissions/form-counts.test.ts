import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { removeDeletedPages } from "../../../../src/features/biolinks/pages/page-retention.ts";
import { purgeSubmissions } from "../../../../src/features/biolinks/submissions/submission-erasure.service.ts";
import { change, post } from "../../../support/contacts.ts";
import {
  createForm,
  type Form,
  fillIn,
  openForm,
  sendForm,
  submissionsOf,
} from "../../../support/forms.ts";
import { SUBMISSIONS } from "../../../support/submissions.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

function rowsOf(table: string, column: string, { block }: Form): Promise<number | null> {
  return env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`)
    .bind(block)
    .first<number>("n");
}

/** A form whose page is deleted, with all that the page held; its submissions stay. */
async function createGone(): Promise<Form> {
  const form = await createForm(await createWorkspace());
  await fillIn(form, { email: "ada@example.com" });
  await fillIn(form, { email: "bob@example.com" });
  await change(form.workspace, "DELETE", `/api/v1/biolinks/pages/${form.page}`);
  await vi.waitFor(async () => {
    await removeDeletedPages(workIn(form.workspace.id));
    expect(await rowsOf("page_blocks", "id", form)).toBe(0);
  });
  return form;
}

describe("what is counted of a form", () => {
  it("goes with its last submission, where the form is gone", async () => {
    const form = await createGone();
    const [one, other] = await submissionsOf(form);
    // Counts again what was forgotten with the page.
    await post(form.workspace, `${SUBMISSIONS}/${one.id}/mark-spam`, {});
    expect(await rowsOf("form_counts", "block_id", form)).toBe(1);
    await change(form.workspace, "DELETE", `${SUBMISSIONS}/${one.id}`);
    expect(await rowsOf("form_counts", "block_id", form)).toBe(1);
    await env.DB.prepare("UPDATE submissions SET due_at = 1 WHERE id = ?").bind(other.id).run();
    await purgeSubmissions(workIn(form.workspace.id));
    expect(await rowsOf("form_counts", "block_id", form)).toBe(0);
  });

  it("stays with the form, so that its limit holds whatever is deleted", async () => {
    const form = await createForm(await createWorkspace(), { limit: 1 });
    const _token = await openForm(form);
    await fillIn(form, { email: "ada@example.com" });
    const [one] = await submissionsOf(form);
    await change(form.workspace, "DELETE", `${SUBMISSIONS}/${one.id}`);
    expect((await sendForm(form, { _token, email: "bob@example.com" })).status).toBe(410);
  });
});
