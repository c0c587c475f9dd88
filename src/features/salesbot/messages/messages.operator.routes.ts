import {
  OPERATOR_TAG,
  operatorRoute,
  WORKSPACE_PATH,
} from "../../../access/operator/operator-route.ts";
import { WorkspaceParams } from "../../../access/workspaces/workspaces.schemas.ts";
import { workIn } from "../../../access/workspaces/workspaces.service.ts";
import type { Api } from "../../../api/api.ts";
import { presentMessage } from "./messages.presenter.ts";
import { InboundMessage, MessageAnswer } from "./messages.schemas.ts";
import { receiveMessage } from "./messages.service.ts";

export function addInboundMessageRoute(api: Api): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: `${WORKSPACE_PATH}/messages/inbound`,
      operationId: "recordInboundMessage",
      tag: OPERATOR_TAG,
      summary: "Record what a contact wrote",
      description:
        "Opens the contact's messaging window for 24 hours; told as `salesbot.message.received` and, as the contact changes, `salesbot.contact.updated`.",
      params: WorkspaceParams,
      body: InboundMessage,
      success: {
        status: 201,
        description: "The message.",
        existing: "A message with this `external_id` was recorded before: this one.",
        schema: MessageAnswer,
      },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      const { message, isNew } = await receiveMessage(ctx, request.body());
      return { existing: !isNew, body: { data: presentMessage(message) } };
    },
  );
}
