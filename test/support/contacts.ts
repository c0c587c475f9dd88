import { env } from "cloudflare:workers";
import type { Answer } from "./http.ts";
import type { Workspace } from "./workspace.ts";

export const CONTACTS = "/api/v1/contacts";
export const TAGS = "/api/v1/tags";
export const STAGES = "/api/v1/stages";
export const SEGMENTS = "/api/v1/segments";

export function post(workspace: Workspace, path: string, body: object): Promise<Answer> {
  return workspace.send("POST", path, { body });
}

/** A contact as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createContact(workspace: Workspace, input: object = {}): Promise<any> {
  const answer = await post(workspace, CONTACTS, { name: "Ada", ...input });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** The id of a new tag, or stage. */
export async function createLabel(workspace: Workspace, path: string, name: string) {
  const answer = await post(workspace, path, { name });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data.id as string;
}

/** Writes with `If-Match: *`. */
export function change(
  workspace: Workspace,
  method: "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<Answer> {
  return workspace.send(method, path, { headers: { "If-Match": "*" }, ...(body && { body }) });
}

/** The events of a workspace so far, oldest first: `[type, channel, data]`. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function eventsOf(workspace: Workspace): Promise<[string, string, any][]> {
  const { results } = await env.DB.prepare(
    "SELECT type, channel, data FROM events WHERE workspace_id = ? ORDER BY rowid",
  )
    .bind(workspace.id)
    .all<{ type: string; channel: string; data: string }>();
  return results.map(({ type, channel, data }) => [type, channel, JSON.parse(data)]);
}
