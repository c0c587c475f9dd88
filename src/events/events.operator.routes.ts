import { z } from "@hono/zod-openapi";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "../access/operator/operator-route.ts";
import { WorkspaceParams } from "../access/workspaces/workspaces.schemas.ts";
import { workIn } from "../access/workspaces/workspaces.service.ts";
import type { Api } from "../api/api.ts";
import { PublishEvent } from "./events.schemas.ts";
import { publishEvent } from "./events.service.ts";

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
      const ctx = await workIn(request.ctx, request.params.workspace);
      return { body: { data: await publishEvent(ctx, request.body()) } };
    },
  );
}
