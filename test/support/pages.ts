import { change, post } from "./contacts.ts";
import type { Answer } from "./http.ts";
import type { Workspace } from "./workspace.ts";

export const PAGES = "/api/v1/biolinks/pages";
export const HEADING = { type: "heading", settings: { text: "New this week" } };
export const LINK = {
  type: "link",
  settings: { label: "Shop", url: "https://example.com/shop" },
};

/** A handle of its own for a test. */
export function newHandle(): string {
  return `ada-${crypto.randomUUID().slice(0, 13)}`;
}

export function postPage(workspace: Workspace, input: object = {}): Promise<Answer> {
  return post(workspace, PAGES, { handle: newHandle(), title: "Ada", ...input });
}

/** What an answer holds. @throws when it is no success */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function dataOf(answer: Promise<Answer>): Promise<any> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(text);
  return body.data;
}

/** A page as the API answers it. */
export function createPage(workspace: Workspace, input: object = {}) {
  return dataOf(postPage(workspace, input));
}

/** Changes a page, whatever its revision. */
export function patchPage(workspace: Workspace, id: string, body: object): Promise<Answer> {
  return change(workspace, "PATCH", `${PAGES}/${id}`, body);
}

export function readPage(workspace: Workspace, id: string) {
  return dataOf(workspace.send("GET", `${PAGES}/${id}`));
}

export function postBlock(workspace: Workspace, page: string, body: object = HEADING) {
  return post(workspace, `${PAGES}/${page}/blocks`, body);
}

/** A page's blocks in their order. */
export function blocksOf(workspace: Workspace, page: string) {
  return dataOf(workspace.send("GET", `${PAGES}/${page}/blocks`));
}

/** Publishes a page, whatever its revision. */
export function publishPage(workspace: Workspace, id: string): Promise<Answer> {
  const headers = { "If-Match": "*" };
  return workspace.send("POST", `${PAGES}/${id}/publish`, { headers });
}

/** A page that visitors get, as the API answers it. */
export async function createPublished(workspace: Workspace, input: object = {}) {
  const { id } = await createPage(workspace, input);
  return dataOf(publishPage(workspace, id));
}
