import type { Api } from "../../http/api.ts";
import { newId } from "../../lib/ids.ts";
import { presentMessage } from "../messages/messages.presenter.ts";
import { InboundMessage, MessageAnswer } from "../messages/messages.schemas.ts";
import { receiveMessage } from "../messages/messages.service.ts";
import { WorkspaceParams } from "../workspaces/workspaces.schemas.ts";
import { getWorkspace } from "../workspaces/workspaces.service.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "./operator-route.ts";

export function addInboundMessageRoute(api: Api): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: `${WORKSPACE_PATH}/messages/inbound`,
      operationId: "recordInboundMessage",
      tag: OPERATOR_TAG,
      summary: "Record what a contact wrote",
      description: "Opens the contact's messaging window for 24 hours.",
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
      const { env, db, waitUntil } = request;
      const { id: workspaceId } = await getWorkspace(db, request.params.workspace);
      const scope = { env, db, waitUntil, workspaceId };
      const { message, isNew } = await receiveMessage(scope, newId(), request.body());
      return { status: isNew ? 201 : 200, body: { data: presentMessage(message) } };
    },
  );
}
