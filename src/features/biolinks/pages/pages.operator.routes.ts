import { z } from "@hono/zod-openapi";
import {
  OPERATOR_TAG,
  operatorRoute,
  WORKSPACE_PATH,
} from "../../../access/operator/operator-route.ts";
import type { Api } from "../../../api/api.ts";
import { idParams } from "../../../api/ids.ts";
import { inWorkspace } from "../../../platform/context/context.ts";
import { pageAnswer } from "./pages.routes.ts";
import { PageAnswer } from "./pages.schemas.ts";
import { getPage, setPageDisabled } from "./pages.service.ts";

const SwitchPage = z
  .strictObject({ disabled: z.boolean() })
  .openapi("SwitchPage", { example: { disabled: false } });

export function addPageSwitchRoute(api: Api): void {
  operatorRoute(
    api,
    {
      method: "patch",
      path: `${WORKSPACE_PATH}/pages/{page}`,
      operationId: "switchPage",
      tag: OPERATOR_TAG,
      summary: "Switch a page off, or on again",
      description:
        "For abuse: visitors get 410 within 10 seconds, also where the page is paused. The workspace cannot undo it: it can neither take the page off line or delete it nor give it another address meanwhile. It may still delete the page's domain and connect the host again: to prevent that, suspend the workspace. A draft has no visitors: they get 404, as before.",
      params: idParams("workspace", "page"),
      body: SwitchPage,
      success: {
        status: 200,
        description: "The page as it is now.",
        schema: PageAnswer,
        etag: true,
      },
      errors: ["conflict"],
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      const found = await getPage(ctx, request.params.page);
      const page = await setPageDisabled(ctx, found, request.body().disabled);
      return pageAnswer(ctx, page);
    },
  );
}
