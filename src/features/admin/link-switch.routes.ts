import { z } from "@hono/zod-openapi";
import type { Api } from "../../http/api.ts";
import { platformOrigin } from "../../http/platform.ts";
import { linkPresenter } from "../links/links.presenter.ts";
import { LinkAnswer } from "../links/links.schemas.ts";
import { setLinkDisabled } from "../links/links.service.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "./operator-route.ts";

const SwitchLink = z.strictObject({ disabled: z.boolean() }).openapi("SwitchLink");

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
        "For abuse: visitors get 410 within 30 seconds, and the workspace cannot undo it.",
      params: z.object({ workspace: z.uuid(), link: z.uuid() }),
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
      const scope = {
        db: request.db,
        workspaceId: request.params.workspace,
        platformOrigin: platformOrigin(request.env, request.url),
      };
      const { disabled } = request.body();
      const link = await setLinkDisabled(scope, request.params.link, disabled);
      const present = await linkPresenter(scope, [link]);
      return { status: 200, body: { data: present(link) }, revision: link.revision };
    },
  );
}
