import { z } from "@hono/zod-openapi";
import {
  OPERATOR_TAG,
  operatorRoute,
  WORKSPACE_PATH,
} from "../../../access/operator/operator-route.ts";
import type { Api } from "../../../api/api.ts";
import { idParams } from "../../../api/ids.ts";
import { inWorkspace } from "../../../platform/context/context.ts";
import { linkPresenter } from "./links.presenter.ts";
import { LinkAnswer } from "./links.schemas.ts";
import { getLink, setLinkDisabled } from "./links.service.ts";

const SwitchLink = z
  .strictObject({ disabled: z.boolean() })
  .openapi("SwitchLink", { example: { disabled: false } });

export function addLinkSwitchRoute(api: Api): void {
  operatorRoute(
    api,
    {
      method: "patch",
      path: `${WORKSPACE_PATH}/links/{link}`,
      operationId: "switchLink",
      tag: OPERATOR_TAG,
      summary: "Switch a link off, or on again",
      description:
        "For abuse: visitors get 410 within 10 seconds, also where the link is paused. The workspace cannot undo it: it can neither delete the link nor give it another address meanwhile. It may still delete the link's domain and connect the host again: to prevent that, suspend the workspace.",
      params: idParams("workspace", "link"),
      body: SwitchLink,
      success: {
        status: 200,
        description: "The link as it is now.",
        schema: LinkAnswer,
        etag: true,
      },
      errors: ["conflict"],
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      const found = await getLink(ctx, request.params.link);
      const link = await setLinkDisabled(ctx, found, request.body().disabled);
      const present = await linkPresenter(ctx, [link]);
      const data = present(link);
      return { body: { data }, revision: data.revision };
    },
  );
}
