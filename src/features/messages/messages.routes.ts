import type { Access } from "../../gate/admission.ts";
import { clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { newId } from "../../lib/ids.ts";
import { presentMessage } from "./messages.presenter.ts";
import { MessageAnswer, MessageParams, SendMessage } from "./messages.schemas.ts";
import { getMessage, sendMessage } from "./messages.service.ts";

const PATH = "/api/v1/messages";
const tag = "Messages";
const read: Access = {
  feature: "salesbot",
  permission: "salesbot:messages:send",
  idempotencyKey: "unused",
};

export function addMessageRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "sendMessage",
      tag,
      summary: "Send a message to a contact",
      description:
        "It is queued, and goes out through the channel's connector. A message that may not be sent is refused with a `reason`: `contact_blocked`, `contact_opted_out`, `channel_not_available`, `messaging_window_closed`.",
      access: { ...read, idempotencyKey: "optional" },
      body: SendMessage,
      success: { status: 202, description: "The message, queued.", schema: MessageAnswer },
      errors: ["message_refused", "conflict"],
    },
    async (request, { caller, claim }) => {
      const { env, db, waitUntil } = request;
      const scope = { env, db, waitUntil, workspaceId: caller.workspaceId };
      const identity = { id: claim?.resourceId ?? newId(), resumed: claim?.resumed ?? false };
      const message = await sendMessage(scope, identity, request.body());
      return { status: 202, body: { data: presentMessage(message) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/{message}`,
      operationId: "getMessage",
      tag,
      summary: "Read a message",
      access: read,
      params: MessageParams,
      success: { status: 200, description: "The message.", schema: MessageAnswer },
    },
    async ({ db, params }, { caller }) => {
      const message = await getMessage({ db, workspaceId: caller.workspaceId }, params.message);
      return { status: 200, body: { data: presentMessage(message) } };
    },
  );
}
