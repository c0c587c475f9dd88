import { vi } from "vitest";
import { type Answer, operate } from "./http.ts";
import { env, type Received } from "./webhooks.ts";
import type { Workspace } from "./workspace.ts";

export const MESSAGES = "/api/v1/messages";

export function send(
  workspace: Workspace,
  contact: string,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = { contact, ...("template" in input ? {} : { text: "Hello" }), ...input };
  return workspace.send("POST", MESSAGES, { headers, body });
}

/** Records through the operator's API that a contact wrote. */
export function hear(workspace: Workspace, contact: string, input: object = {}): Promise<Answer> {
  const body = { contact, text: "Hi", ...input };
  return operate("POST", `/workspaces/${workspace.id}/messages/inbound`, body);
}

/** What the connector has got of a message. */
export async function handedOver(message: string): Promise<Received[]> {
  const { sms } = JSON.parse(env.MESSAGE_CONNECTOR_URL);
  return (await fetch(`${sms}/${message}`)).json();
}

/** Waits until a message is in a status; the message then. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
export function waitForStatus(workspace: Workspace, id: string, status: string): Promise<any> {
  return vi.waitFor(
    async () => {
      const { body } = await workspace.send("GET", `${MESSAGES}/${id}`);
      if (body.data?.status !== status) throw new Error(JSON.stringify(body));
      return body.data;
    },
    { timeout: 60_000, interval: 100 },
  );
}
