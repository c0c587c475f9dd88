import { type Answer, operate, type Send, send } from "./http.ts";

export const LINKS = "/api/v1/biolinks/links";

export interface Workspace {
  id: string;
  ownerId: string;
  key: string;
  keyId: string;
  /** Sends with the workspace's key. */
  send(method: string, path: string, more?: Send): Promise<Answer>;
}

/** A workspace of its own for a test, with an all-permissions key of its owner. */
export async function createWorkspace(input: object = {}): Promise<Workspace> {
  const { body } = await operate("POST", "/workspaces", { name: "Test", ...input });
  const { id, owner } = body.data;
  const issued = await issueKey(id);
  return {
    id,
    ownerId: owner.id,
    key: issued.key,
    keyId: issued.id,
    send: (method, path, more) => sendAs(issued.key, method, path, more),
  };
}

export async function issueKey(
  workspaceId: string,
  input: object = {},
): Promise<{ key: string; id: string }> {
  const body = { name: "Test", permissions: ["*"], ...input };
  const answer = await operate("POST", `/workspaces/${workspaceId}/keys`, body);
  return { key: answer.body.key, id: answer.body.data.id };
}

export function sendAs(
  key: string,
  method: string,
  path: string,
  { headers, ...more }: Send = {},
): Promise<Answer> {
  return send(path, { method, headers: { Authorization: `Bearer ${key}`, ...headers }, ...more });
}

export function newIdempotencyKey(): string {
  return `test-${crypto.randomUUID()}`;
}

/** Creates a link; `input` overrides a plain destination. */
export function createLink(workspace: Workspace, input: object = {}): Promise<Answer> {
  return workspace.send("POST", LINKS, {
    headers: { "Idempotency-Key": newIdempotencyKey() },
    body: { destination: "https://example.com/", ...input },
  });
}

/** Changes a link, whatever its revision. */
export function updateLink(workspace: Workspace, id: string, input: object): Promise<Answer> {
  const headers = { "If-Match": "*" };
  return workspace.send("PATCH", `${LINKS}/${id}`, { headers, body: input });
}

/** A link that visitors can follow. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createActiveLink(workspace: Workspace, input: object = {}): Promise<any> {
  const created = await createLink(workspace, input);
  const updated = await updateLink(workspace, created.body.data.id, { status: "active" });
  return updated.body.data;
}
