import { exports } from "cloudflare:workers";
import { type Answer, newAddress } from "./http.ts";
import { PERSON } from "./visitor.ts";
import type { Workspace } from "./workspace.ts";

export const QR_CODES = "/api/v1/biolinks/qr-codes";
export const MENU = { type: "url", url: "https://example.com/menu" };

export function postQrCode(workspace: Workspace, input: object = {}): Promise<Answer> {
  const body = { name: "Table 7", target: MENU, ...input };
  return workspace.send("POST", QR_CODES, { body });
}

/** A code as the API answers it; `input` overrides one for a URL. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function createQrCode(workspace: Workspace, input: object = {}): Promise<any> {
  const answer = await postQrCode(workspace, input);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

/** Changes a code, whatever its revision. */
export function updateQrCode(workspace: Workspace, id: string, body: object): Promise<Answer> {
  return workspace.send("PATCH", `${QR_CODES}/${id}`, { headers: { "If-Match": "*" }, body });
}

/** Fetches bytes as anybody does. */
export async function fetchBytes(url: string, init: RequestInit = {}) {
  const headers = { "CF-Connecting-IP": newAddress(), "User-Agent": PERSON, ...init.headers };
  const response = await exports.default.fetch(url, { redirect: "manual", ...init, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}
