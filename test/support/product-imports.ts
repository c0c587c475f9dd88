import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { importProducts } from "../../src/features/biolinks/catalogue/feeds/product-import-work.ts";
import type { Answer } from "./http.ts";
import { CATALOGUE } from "./products.ts";
import { workIn } from "./work.ts";
import type { Workspace } from "./workspace.ts";

export const IMPORTS = `${CATALOGUE}/imports`;

export function postImport(
  workspace: Pick<Workspace, "send">,
  body: string | Uint8Array,
  { query = "", type = "text/csv", headers = {} as Record<string, string> } = {},
): Promise<Answer> {
  return workspace.send("POST", IMPORTS + query, {
    headers: { "Content-Type": type, ...headers },
    body,
  });
}

/** An import as it is when it has come to its end. What is left of it is due after a while. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function endOfImport(workspace: Workspace, id: string): Promise<any> {
  await vi.waitFor(
    async () => {
      const find = env.DB.prepare("SELECT finished_at, due_at FROM product_imports WHERE id = ?");
      const found = await find.bind(id).first<{ finished_at: number; due_at: number }>();
      if (found?.finished_at) return;
      if (found && found.due_at <= Date.now()) await importProducts(workIn(workspace.id));
      throw new Error("The import has not come to its end.");
    },
    { timeout: 55_000, interval: 50 },
  );
  return (await workspace.send("GET", `${IMPORTS}/${id}`)).body.data;
}

/** Imports a file, to its end. */
export async function importFile(
  workspace: Workspace,
  body: string | Uint8Array,
  query = "",
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
): Promise<any> {
  const answer = await postImport(workspace, body, { query });
  if (answer.status !== 202) throw new Error(answer.text);
  return endOfImport(workspace, answer.body.data.id);
}
