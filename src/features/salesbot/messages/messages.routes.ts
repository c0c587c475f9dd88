import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
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
    async (request) => {
      const message = await sendMessage(request.ctx, request.body());
      return { body: { data: presentMessage(message) } };
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
      description: "Its `status` says whether it went out, and `reason` why not.",
      access: read,
      params: MessageParams,
      success: { status: 200, description: "The message.", schema: MessageAnswer },
    },
    async ({ ctx, params }) => {
      const message = await getMessage(ctx, params.message);
      return { body: { data: presentMessage(message) } };
    },
  );
}
