import {
  OPERATOR_TAG,
  operatorRoute,
  WORKSPACE_PATH,
} from "../../access/operator/operator-route.ts";
import { WorkspaceParams } from "../../access/workspaces/workspaces.schemas.ts";
import { workIn } from "../../access/workspaces/workspaces.service.ts";
import type { Api } from "../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../api/pagination.ts";
import { WorkspaceHook, WorkspaceHookParams } from "./automation-hooks.schemas.ts";
import { listHooks, presentJudgedHook, removeHook } from "./automation-hooks.service.ts";

const HOOKS_PATH = `${WORKSPACE_PATH}/hooks`;

export function addWorkspaceHookRoutes(api: Api): void {
  operatorRoute(
    api,
    {
      method: "get",
      path: HOOKS_PATH,
      operationId: "listWorkspaceHooks",
      tag: OPERATOR_TAG,
      summary: "List automation hooks",
      description: "With whose each is. Those of keys that are over go when their place is needed.",
      params: WorkspaceParams,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(WorkspaceHook) },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      const page = toPageRequest(request.query);
      return { body: toList(await listHooks(ctx, page), page, presentJudgedHook) };
    },
  );

  operatorRoute(
    api,
    {
      method: "delete",
      path: `${HOOKS_PATH}/{hook}`,
      operationId: "removeWorkspaceHook",
      tag: OPERATOR_TAG,
      summary: "Remove an automation hook",
      description: "Whatever key it belongs to. It gets nothing more.",
      params: WorkspaceHookParams,
      success: { status: 204, description: "Gone, also if it was gone before." },
    },
    async (request) => {
      const { workspace, hook } = request.params;
      await removeHook(await workIn(request.ctx, workspace), hook);
      return {};
    },
  );
}
