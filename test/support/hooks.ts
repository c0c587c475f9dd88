import type { Answer } from "./http.ts";
import { newBox } from "./webhooks.ts";
import type { Workspace } from "./workspace.ts";

export const SUBSCRIBE = "/automation/subscribe";
export const UNSUBSCRIBE = "/automation/unsubscribe";
export const HOOKS = "/automation/hooks";
export const CONTACT_CREATED = "salesbot.contact.created";

export function subscribe(workspace: Workspace, input: object = {}): Promise<Answer> {
  const body = { target_url: newBox(), event: CONTACT_CREATED, ...input };
  return workspace.send("POST", SUBSCRIBE, { body });
}

export function unsubscribe(workspace: Workspace, id: unknown): Promise<Answer> {
  return workspace.send("POST", UNSUBSCRIBE, { body: { id } });
}
