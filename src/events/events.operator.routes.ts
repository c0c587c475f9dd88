import { z } from "@hono/zod-openapi";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "../access/operator/operator-route.ts";
import { WorkspaceParams } from "../access/workspaces/workspaces.schemas.ts";
import { workIn } from "../access/workspaces/workspaces.service.ts";
import type { Api } from "../api/api.ts";
import { PublishEvent, PublishEvents } from "./events.schemas.ts";
import { publishEvent, publishEvents } from "./events.service.ts";

const Published = z
  .object({ id: z.uuid() })
  .openapi({ example: { id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102" } });

export function addEventRoutes(api: Api): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: `${WORKSPACE_PATH}/events`,
      operationId: "publishEvent",
      tag: OPERATOR_TAG,
      summary: "Put an event into a workspace's stream",
      description:
        "For the platform's other products: whoever is subscribed to the event is told of it. With an `id` it is safe to send again.",
      params: WorkspaceParams,
      body: PublishEvent,
      success: {
        status: 202,
        description: "The event's id.",
        schema: z.object({ data: Published }),
      },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      return { body: { data: await publishEvent(ctx, request.body()) } };
    },
  );
  operatorRoute(
    api,
    {
      method: "post",
      path: `${WORKSPACE_PATH}/events/batch`,
      operationId: "publishEvents",
      tag: OPERATOR_TAG,
      summary: "Put many events into a workspace's stream",
      description: "All of them, or none: one that is wrong is named as `events.3.data.title`.",
      params: WorkspaceParams,
      body: PublishEvents,
      success: {
        status: 202,
        description: "The events' ids, in the order of the events.",
        schema: z.object({ data: z.array(Published) }),
      },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      return { body: { data: await publishEvents(ctx, request.body().events) } };
    },
  );
}
