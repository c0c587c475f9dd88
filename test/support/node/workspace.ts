import { newAddress } from "../address.ts";
import { checkAnswer } from "./contract.ts";
import type { Signpost } from "./server.ts";

/** A workspace of a running Signpost, and what its key can do there. */
export interface Workspace {
  id: string;
  key: string;
  send(method: string, path: string, body?: object): Promise<Response>;
  /** Makes a link that visitors can follow. */
  createActiveLink(input: object): Promise<{ id: string; slug: string; public_url: string }>;
}

export async function createWorkspace(signpost: Signpost): Promise<Workspace> {
  const { data } = await operate(signpost, "POST", "/workspaces", { name: "Test" });
  const keys = `/workspaces/${data.id}/keys`;
  const { key } = await operate(signpost, "POST", keys, { name: "Test", permissions: ["*"] });
  const send = (method: string, path: string, body?: object) =>
    fetchChecked(signpost, method, path, {
      headers: {
        Authorization: `Bearer ${key}`,
        "Idempotency-Key": crypto.randomUUID(),
        "If-Match": "*",
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const createActiveLink = async (input: object) => {
    const path = "/api/v1/biolinks/links";
    const created = await read(await send("POST", path, input));
    const active = await send("PATCH", `${path}/${created.data.id}`, { status: "active" });
    return (await read(active)).data;
  };
  return { id: data.id, key, send, createActiveLink };
}

export async function operate(
  signpost: Signpost,
  method: string,
  path: string,
  body: object,
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
): Promise<any> {
  const answer = await fetchChecked(signpost, method, `/admin/v1${path}`, {
    headers: { Authorization: `Bearer ${signpost.adminToken}` },
    body: JSON.stringify(body),
  });
  return read(answer);
}

/** An answer of the API that differs from the API description fails the test. */
async function fetchChecked(
  { origin }: Signpost,
  method: string,
  path: string,
  init: { headers: Record<string, string>; body?: string },
): Promise<Response> {
  const headersSent = { "CF-Connecting-IP": newAddress(), ...init.headers };
  const answer = await fetch(origin + path, { method, ...init, headers: headersSent });
  const { status, headers } = answer;
  const text = await answer.clone().text();
  await checkAnswer(origin, path, method, { status, headers, text });
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
async function read(answer: Response): Promise<any> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
