import { env } from "cloudflare:workers";
import { type Answer, newAddress, send } from "./http.ts";
import { createPublished } from "./pages.ts";
import type { Workspace } from "./workspace.ts";

export const EMAIL = { id: "email", type: "email", label: "Email", required: true };
export const WISH = { id: "wish", type: "textarea", label: "Your wish" };
/** Whoever tests a form is faster than people. */
const SPAM = { min_seconds: 0, max_per_ip_hour: 1000 };

/** A form on a page that is on line. */
export interface Form {
  workspace: Workspace;
  page: string;
  block: string;
  /** The page's path. */
  path: string;
  /** Where it is sent to. */
  url: string;
}

export function formSettings(settings: object = {}, spam: object = {}): object {
  return {
    submit_label: "Send",
    success: { message: "Thank you!" },
    fields: [EMAIL, WISH],
    spam: { ...SPAM, ...spam },
    ...settings,
  };
}

export async function createForm(
  workspace: Workspace,
  settings: object = {},
  { spam = {}, block = {}, page = {} }: { spam?: object; block?: object; page?: object } = {},
): Promise<Form> {
  const form = { type: "form", settings: formSettings(settings, spam), ...block };
  const made = await createPublished(workspace, { blocks: [form], ...page });
  const [id] = made.block_order;
  const path = `/@${made.handle}`;
  return { workspace, page: made.id, block: id, path, url: `${path}/form/${id}` };
}

/** The value of the form's token, as a visitor's browser gets it. */
export async function openForm({ path }: Pick<Form, "path">, headers = {}): Promise<string> {
  return tokenIn((await send(path, { headers })).text);
}

export function tokenIn(html: string): string {
  return /name="_token" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

export interface Sending {
  address?: string;
  headers?: Record<string, string>;
}

/** Sends a form as a browser does. */
export function sendForm(
  { url }: Pick<Form, "url">,
  fields: Record<string, string | string[]>,
  { address = newAddress(), headers = {} }: Sending = {},
): Promise<Answer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  return send(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "CF-Connecting-IP": address,
      ...headers,
    },
    body: body.toString(),
  });
}

/** Opens a form and sends it. */
export async function fillIn(
  form: Form,
  fields: Record<string, string | string[]>,
  sending: Sending = {},
): Promise<Answer> {
  return sendForm(form, { _token: await openForm(form), ...fields }, sending);
}

/** What is stored of a form, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export async function submissionsOf({ block }: Pick<Form, "block">): Promise<any[]> {
  const { results } = await env.DB.prepare(
    "SELECT * FROM submissions WHERE block_id = ? ORDER BY id",
  )
    .bind(block)
    .all<Record<string, unknown>>();
  return results.map((row) => ({
    ...row,
    answers: JSON.parse(String(row.answers)),
    reasons: JSON.parse(String(row.spam_reasons)),
  }));
}
