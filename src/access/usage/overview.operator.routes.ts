import type { Api } from "../../api/api.ts";
import { OPERATOR_TAG, operatorRoute } from "../operator/operator-route.ts";
import type { CountUpTo } from "./overview.ports.ts";
import { OverviewAnswer } from "./overview.schemas.ts";
import { getOverview } from "./overview.service.ts";

export function addOverviewRoute(api: Api, openReports: CountUpTo): void {
  operatorRoute(
    api,
    {
      method: "get",
      path: "/admin/v1/overview",
      operationId: "getOverview",
      tag: OPERATOR_TAG,
      summary: "Read what all workspaces use together",
      description:
        "Of all of this Signpost, from counts that are kept: what it costs grows with how many workspaces there are (five rows read of each), not with what they store. People's clicks are in each workspace's ledger, and so only in its own usage: `GET /admin/v1/workspaces/{workspace}/usage`.",
      success: { status: 200, description: "The overview.", schema: OverviewAnswer },
    },
    async ({ ctx }) => ({ body: { data: await getOverview(ctx, openReports) } }),
  );
}
