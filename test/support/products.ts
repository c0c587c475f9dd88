import type { Answer, Send } from "./http.ts";
import { newIdempotencyKey, type Workspace } from "./workspace.ts";

export const CATALOGUE = "/api/v1/biolinks/catalogue";
export const PRODUCTS = `${CATALOGUE}/products`;

export function postProduct(
  workspace: Pick<Workspace, "send">,
  input: object = {},
  more: Send = {},
): Promise<Answer> {
  const headers = { "Idempotency-Key": newIdempotencyKey(), ...more.headers };
  return workspace.send("POST", PRODUCTS, { headers, body: { title: "Mug", ...input } });
}

/** A product as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createProduct(workspace: Workspace, input: object = {}): Promise<any> {
  const answer = await postProduct(workspace, input);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** Changes a product, whatever its revision. */
export function patchProduct(workspace: Workspace, id: string, input: object): Promise<Answer> {
  return workspace.send("PATCH", `${PRODUCTS}/${id}`, {
    headers: { "If-Match": "*" },
    body: input,
  });
}
