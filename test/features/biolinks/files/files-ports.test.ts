import { describe, expect, it } from "vitest";
import {
  type FileUser,
  fileExists,
  filesExist,
  findFiles,
} from "../../../../src/features/biolinks/files/files.ports.ts";
import { deleteFile, getFile } from "../../../../src/features/biolinks/files/files.service.ts";
import { createContact } from "../../../support/contacts.ts";
import { createFile } from "../../../support/files.ts";
import { PDF } from "../../../support/sample-files.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const ANY_ID = "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11";

async function isTrue({ id }: Workspace, sql: string, value: string): Promise<boolean> {
  const statement = workIn(id).db.$client.prepare(`SELECT ${sql} AS yes`).bind(value, id);
  return (await statement.first<{ yes: number }>())?.yes === 1;
}

describe("what other features are told of files", () => {
  it("is the workspace's own, by id, with what is needed to show them", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [image, pdf] = [await createFile(workspace), await createFile(workspace, PDF)];
    const foreign = await createFile(other);
    const ctx = workIn(workspace.id);
    const found = await findFiles(ctx, [image.id, pdf.id, image.id, foreign.id, ANY_ID]);
    expect([...found.keys()].sort()).toEqual([image.id, pdf.id].sort());
    expect(found.get(image.id)).toEqual({
      id: image.id,
      url: image.url,
      path: new URL(image.url).pathname,
      type: "image/png",
      bytes: image.bytes,
      width: 24,
      height: 16,
      sha256: image.url.slice(-68, -4),
    });
    expect(found.get(pdf.id)).toMatchObject({ type: "application/pdf", width: null, height: null });
    expect((await findFiles(ctx, [])).size).toBe(0);
  });

  it("is SQL that holds a record to files that are there", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const [one, two] = [await createFile(workspace), await createFile(workspace)];
    const foreign = await createFile(other);
    const exists = (id: string) => isTrue(workspace, fileExists("?1", "?2"), id);
    expect([await exists(one.id), await exists(foreign.id), await exists(ANY_ID)]).toEqual([
      true,
      false,
      false,
    ]);
    const exist = (...ids: string[]) =>
      isTrue(workspace, filesExist("?1", "?2"), JSON.stringify(ids));
    expect(await exist()).toBe(true);
    expect(await exist(one.id, two.id, one.id)).toBe(true);
    expect(await exist(one.id, foreign.id)).toBe(false);
    expect(await exist(ANY_ID)).toBe(false);
  });
});

describe("a file that something uses", () => {
  /** Contacts, as if one whose external id is a file's used that file. */
  const contacts: FileUser = {
    name: "contact",
    unused: (id) => `NOT EXISTS (SELECT 1 FROM contacts
      WHERE contacts.workspace_id = files.workspace_id AND contacts.external_id = ${id})`,
    findUses: async ({ db, workspaceId }, id, most) => {
      const { results } = await db.$client
        .prepare("SELECT id FROM contacts WHERE workspace_id = ? AND external_id = ? LIMIT ?")
        .bind(workspaceId, id, most)
        .all<{ id: string }>();
      return results.map((row) => row.id);
    },
  };

  it("is not deleted: 409 says what uses it; afterwards it is", async () => {
    const workspace = await createWorkspace();
    const ctx = workIn(workspace.id);
    const { id } = await createFile(workspace);
    const contact = await createContact(workspace, { external_id: id });
    const file = await getFile(ctx, id);
    await expect(deleteFile(ctx, file, [contacts])).rejects.toMatchObject({
      code: "conflict",
      message: `The file is used by contact ${contact.id}.`,
    });
    await ctx.db.$client.prepare("DELETE FROM contacts WHERE id = ?").bind(contact.id).run();
    await deleteFile(ctx, file, [contacts]);
    await expect(deleteFile(ctx, file, [contacts])).rejects.toMatchObject({ code: "not_found" });
  });
});
