import type { Answer } from "./http.ts";
import { CATALOGUE } from "./products.ts";
import type { Workspace } from "./workspace.ts";

export const COLLECTIONS = `${CATALOGUE}/collections`;

export function postCollection(
  workspace: Pick<Workspace, "send">,
  input: object = {},
): Promise<Answer> {
  return workspace.send("POST", COLLECTIONS, { body: { name: "Spring", ...input } });
}

/** A collection as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createCollection(workspace: Workspace, input: object = {}): Promise<any> {
  const answer = await postCollection(workspace, input);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** Changes a collection, whatever its revision. */
export function patchCollection(workspace: Workspace, id: string, body: object): Promise<Answer> {
  return workspace.send("PATCH", `${COLLECTIONS}/${id}`, { headers: { "If-Match": "*" }, body });
}
