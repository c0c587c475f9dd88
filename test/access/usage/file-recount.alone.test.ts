import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { recountFiles } from "../../../src/access/usage/file-recount.ts";
import { FILE_RECORDS } from "../../../src/stored-records.ts";
import { createFile } from "../../support/files.ts";
import { operate } from "../../support/http.ts";
import { loggedLines } from "../../support/logs.ts";
import { workIn } from "../../support/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

async function usageOf({ id }: Workspace) {
  const { files, file_bytes, stored_bytes } = (await operate("GET", `/workspaces/${id}/usage`)).body
    .data;
  return { files, file_bytes, stored_bytes };
}

/** A pass over all workspaces, from wherever the job was. */
async function recount(workspace: Workspace): Promise<void> {
  await env.DB.prepare("DELETE FROM job_places WHERE job = 'recount_files'").run();
  const place = () =>
    env.DB.prepare("SELECT place FROM job_places WHERE job = 'recount_files'").first<string>(
      "place",
    );
  do await recountFiles(workIn(workspace.id), FILE_RECORDS);
  while (!(await place())?.startsWith("until "));
}

it("What is counted of files is counted anew once a day, and mended where it is wrong", async () => {
  const [right, wrong, empty] = [
    await createWorkspace(),
    await createWorkspace(),
    await createWorkspace(),
  ];
  for (const workspace of [right, wrong, wrong]) await createFile(workspace);
  const before = await Promise.all([right, wrong, empty].map(usageOf));
  expect(before.map(({ files }) => files)).toEqual([1, 2, 0]);
  const spoil = (workspace: Workspace, files: number, bytes: number) =>
    env.DB.prepare(
      `UPDATE workspace_usage SET files = files + ?2, file_bytes = file_bytes + ?3,
         stored_bytes = stored_bytes + 500 * ?2, other_bytes = other_bytes + 500 * ?2 WHERE id = ?1`,
    )
      .bind(workspace.id, files, bytes)
      .run();
  await spoil(wrong, -1, -70);
  await spoil(empty, 3, 900);
  await recount(right);
  expect(await Promise.all([right, wrong, empty].map(usageOf))).toEqual(before);
  expect(loggedLines().filter((line) => line.includes("file_counts_mended"))).not.toEqual([]);

  // Not again before a day is over.
  await spoil(wrong, 1, 10);
  await recountFiles(workIn(wrong.id), FILE_RECORDS);
  expect((await usageOf(wrong)).files).toBe(3);
  await recount(right);
  expect(await usageOf(wrong)).toEqual(before[1]);
});
