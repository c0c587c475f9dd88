import type { Answer } from "./http.ts";
import { bytesOf, chunk, PNG } from "./sample-files.ts";
import type { Workspace } from "./workspace.ts";

export const FILES = "/api/v1/biolinks/files";

/** A PNG whose content no other has. */
export function newPng(): Uint8Array {
  const name = `${crypto.randomUUID()}\0`;
  // A suggested palette without colours draws nothing, and stays.
  return bytesOf(PNG.subarray(0, 33), chunk("bKGD", name), PNG.subarray(33));
}

export function upload(
  workspace: Pick<Workspace, "send">,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return workspace.send("POST", FILES, {
    headers: { "Content-Type": "application/octet-stream", ...headers },
    body,
  });
}

/** A file as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createFile(workspace: Workspace, body = newPng()): Promise<any> {
  const answer = await upload(workspace, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** A form with fields of bytes, as browsers send it. */
export function formOf(fields: [name: string, content: Uint8Array | string][]): {
  body: Uint8Array;
  type: string;
} {
  const boundary = `----form${crypto.randomUUID().replaceAll("-", "")}`;
  const parts = fields.flatMap(([name, content]) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.svg"\r\nContent-Type: image/svg+xml\r\n\r\n`,
    content,
    "\r\n",
  ]);
  return {
    body: bytesOf(...parts, `--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}
