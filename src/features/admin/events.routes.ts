import { z } from "@hono/zod-openapi";
import { publishEvent } from "../../events/events.service.ts";
import type { Api } from "../../http/api.ts";
import { WorkspaceParams } from "../workspaces/workspaces.schemas.ts";
import { getWorkspace } from "../workspaces/workspaces.service.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "./operator-route.ts";

const PublishEvent = z
  .strictObject({
    event: z.string().openapi({ example: "publishing.post.published" }),
    channel: z.string().openapi({ example: "all" }),
    data: z.record(z.string(), z.unknown()).openapi({
      description: "As `GET /api/v1/workspace-webhooks/events` describes it.",
    }),
  })
  .openapi("PublishEvent");

export function addEventRoute(api: Api): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: `${WORKSPACE_PATH}/events`,
      operationId: "publishEvent",
      tag: OPERATOR_TAG,
      summary: "Put an event into a workspace's stream",
      params: WorkspaceParams,
      body: PublishEvent,
      success: {
        status: 202,
        description: "The event's id.",
        schema: z.object({ data: z.object({ id: z.uuid() }) }),
      },
    },
    async (request) => {
      const { id } = await getWorkspace(request.db, request.params.workspace);
      const event = await publishEvent(request.env, request.db, id, request.body());
      return { status: 202, body: { data: event } };
    },
  );
}
