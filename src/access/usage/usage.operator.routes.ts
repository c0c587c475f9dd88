import type { Api } from "../../api/api.ts";
import { inWorkspace } from "../../platform/context/context.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "../operator/operator-route.ts";
import { WorkspaceParams } from "../workspaces/workspaces.schemas.ts";
import type { CountedClicks } from "./usage.ports.ts";
import { UsageAnswer } from "./usage.schemas.ts";
import { getUsage } from "./usage.service.ts";

export function addUsageRoute(api: Api, countClicks: CountedClicks): void {
  operatorRoute(
    api,
    {
      method: "get",
      path: `${WORKSPACE_PATH}/usage`,
      operationId: "getUsage",
      tag: OPERATOR_TAG,
      summary: "Read what a workspace uses",
      description:
        "From counts that are kept: it costs the same however much is stored. Counting began on 2026-11-22; what was stored before is counted by a job, within days.",
      params: WorkspaceParams,
      success: { status: 200, description: "Its usage.", schema: UsageAnswer },
    },
    async (request) => ({
      body: {
        data: await getUsage(inWorkspace(request.ctx, request.params.workspace), countClicks),
      },
    }),
  );
}
