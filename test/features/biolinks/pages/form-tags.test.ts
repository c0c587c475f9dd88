import { describe, expect, it } from "vitest";
import { change, createLabel, post, TAGS } from "../../../support/contacts.ts";
import { EMAIL, formSettings } from "../../../support/forms.ts";
import {
  blocksOf,
  createPage,
  dataOf,
  PAGES,
  postBlock,
  postPage,
  publishPage,
} from "../../../support/pages.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const NOBODYS = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";
const REFUSAL = ["This is no tag of the workspace."];

/** A form whose contacts get tags. */
function tagging(...tags: string[]) {
  const contact = { create: true, map: { email: "email" }, tags };
  return { type: "form", settings: formSettings({ fields: [EMAIL], contact }) };
}

const newTag = (workspace: Workspace) => createLabel(workspace, TAGS, crypto.randomUUID());

describe("a form's tag that the workspace has not", () => {
  it("is refused with its field, wherever a block is written", async () => {
    const workspace = await createWorkspace();
    const own = await newTag(workspace);
    const foreign = await newTag(await createWorkspace());
    const page = await createPage(workspace);
    const block = await dataOf(postBlock(workspace, page.id, tagging(own)));
    const at = `${PAGES}/${page.id}/blocks`;
    const headers = { "If-Match": "*" };
    for (const stranger of [NOBODYS, foreign]) {
      const form = tagging(own, stranger);
      const { contact } = form.settings as { contact: object };
      const answers = [
        ["blocks.0.settings", await postPage(workspace, { blocks: [form] })],
        ["settings", await postBlock(workspace, page.id, form)],
        [
          "settings",
          await change(workspace, "PATCH", `${at}/${block.id}`, { settings: { contact } }),
        ],
        [
          "blocks.0.settings",
          await workspace.send("PUT", at, { headers, body: { blocks: [form] } }),
        ],
      ] as const;
      for (const [prefix, { status, body }] of answers) {
        expect([status, body.errors]).toEqual([422, { [`${prefix}.contact.tags.1`]: REFUSAL }]);
      }
    }
    expect(await blocksOf(workspace, page.id)).toMatchObject([{ id: block.id, ...tagging(own) }]);
  });

  it("is none of the page's problems when it was deleted after the form was written", async () => {
    const workspace = await createWorkspace();
    const tag = await newTag(workspace);
    const page = await createPage(workspace, { blocks: [tagging(tag)] });
    expect((await change(workspace, "DELETE", `${TAGS}/${tag}`)).status).toBe(204);
    expect((await publishPage(workspace, page.id)).status).toBe(200);
    expect((await post(workspace, `${PAGES}/${page.id}/duplicate`, {})).status).toBe(201);
    const [block] = page.block_order;
    const path = `${PAGES}/${page.id}/blocks/${block}`;
    expect((await change(workspace, "PATCH", path, { enabled: false })).status).toBe(200);
    const labelled = await change(workspace, "PATCH", path, { settings: { submit_label: "Go" } });
    expect([labelled.status, Object.keys(labelled.body.errors)]).toEqual([
      422,
      ["settings.contact.tags.0"],
    ]);
  });
});
