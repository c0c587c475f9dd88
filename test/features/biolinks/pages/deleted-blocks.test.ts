import { describe, expect, it } from "vitest";
import { append, hitAt } from "../../../support/analytics.ts";
import { change } from "../../../support/contacts.ts";
import { createForm, fillIn } from "../../../support/forms.ts";
import { ledgerAt } from "../../../support/ledger.ts";
import { createPublished, LINK, PAGES, readPage } from "../../../support/pages.ts";
import { readCsv } from "../../../support/spreadsheet.ts";
import { SUBMISSIONS } from "../../../support/submissions.ts";
import { createWorkspace, type Workspace } from "../../../support/workspace.ts";

const ANALYTICS = "/api/v1/biolinks/analytics";
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const reading = async (workspace: Workspace, path: string) => {
  const { status, body, text } = await workspace.send("GET", path);
  if (status !== 200) throw new Error(text);
  return { data: body?.data, text };
};

describe("a block that was deleted", () => {
  it("is still told by its name where a submission of it is shown", async () => {
    const workspace = await createWorkspace();
    const form = await createForm(workspace, { title: "Ask about a commission" });
    await fillIn(form, { email: "ada@example.com" });
    const block = `${PAGES}/${form.page}/blocks/${form.block}`;
    const told = async () => {
      const list = (await reading(workspace, SUBMISSIONS)).data;
      const one = (await reading(workspace, `${SUBMISSIONS}/${list[0].id}`)).data;
      const marked = await change(workspace, "PATCH", `${SUBMISSIONS}/${list[0].id}`, {
        is_read: true,
      });
      const csv = readCsv((await reading(workspace, `${SUBMISSIONS}/export`)).text);
      const ndjson = linesOf(
        (await reading(workspace, `${SUBMISSIONS}/export?format=ndjson`)).text,
      );
      return [...list, one, marked.body.data, ...csv, ...ndjson].map((row) => row.block_name);
    };
    expect(await told()).toEqual(Array(5).fill("Ask about a commission"));
    await change(workspace, "PATCH", block, { settings: { title: "Write to me" } });
    expect(await told()).toEqual(Array(5).fill("Write to me"));
    const { revision } = await readPage(workspace, form.page);
    expect((await change(workspace, "DELETE", block)).status).toBe(204);
    expect((await readPage(workspace, form.page)).revision).not.toBe(revision);
    expect((await workspace.send("GET", block)).status).toBe(404);
    expect(await told()).toEqual(Array(5).fill("Write to me"));
  });

  it("is still told by its name where its clicks are counted", async () => {
    const [workspace, other] = [await createWorkspace(), await createWorkspace()];
    const page = await createPublished(workspace, { blocks: [LINK] });
    const id = page.block_order[0];
    for (const counting of [workspace, other]) {
      const click = hitAt(Date.now(), { subject: "block", id });
      await append(ledgerAt(counting.id), click);
    }
    const asked = "metrics=clicks&period=24h&group_by=block";
    const told = async (reader: Workspace) => {
      const { data } = await reading(reader, `${ANALYTICS}?${asked}`);
      const csv = readCsv((await reading(reader, `${ANALYTICS}/export?${asked}`)).text);
      const ndjson = linesOf(
        (await reading(reader, `${ANALYTICS}/export?${asked}&format=ndjson`)).text,
      );
      return [...data, ...csv, ...ndjson];
    };
    const row = { block: id, block_name: "Shop", clicks: 1 };
    const named = [row, { ...row, clicks: "1" }, row];
    expect(await told(workspace)).toEqual(named);
    expect((await change(workspace, "DELETE", `${PAGES}/${page.id}/blocks/${id}`)).status).toBe(
      204,
    );
    expect(await told(workspace)).toEqual(named);
    const { data } = await reading(workspace, `${ANALYTICS}?metrics=clicks&period=24h`);
    expect(data).toEqual([{ clicks: 1 }]);
    // Whose block it is not learns nothing of it.
    const nameless = { ...row, block_name: null };
    expect(await told(other)).toEqual([
      nameless,
      { ...row, block_name: "", clicks: "1" },
      nameless,
    ]);
  });
});
