import type { Api } from "../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../api/pagination.ts";
import { inWorkspace } from "../../platform/context/context.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "../operator/operator-route.ts";
import { WorkspaceParams } from "../workspaces/workspaces.schemas.ts";
import { workIn } from "../workspaces/workspaces.service.ts";
import { ApiKey, ApiKeyParams, CreateApiKey, NewApiKeyAnswer } from "./keys.schemas.ts";
import { issueApiKey, listApiKeys, presentApiKey, revokeKey } from "./keys.service.ts";

const KEYS_PATH = `${WORKSPACE_PATH}/keys`;

export function addKeyRoutes(api: Api): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: KEYS_PATH,
      operationId: "issueKey",
      tag: OPERATOR_TAG,
      summary: "Issue a key",
      description:
        "It is shown in this answer only: what is stored is a hash of it. What it may do is what both it and its member's role may.",
      params: WorkspaceParams,
      body: CreateApiKey,
      success: {
        status: 201,
        description: "The key's record, and the key itself, this once.",
        schema: NewApiKeyAnswer,
      },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      const { row, key } = await issueApiKey(ctx, request.body());
      return { body: { data: presentApiKey(row), key } };
    },
  );

  operatorRoute(
    api,
    {
      method: "get",
      path: KEYS_PATH,
      operationId: "listKeys",
      tag: OPERATOR_TAG,
      summary: "List keys",
      description: "Those that are revoked or expired too. The keys themselves are not stored.",
      params: WorkspaceParams,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(ApiKey) },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      const page = toPageRequest(request.query);
      const rows = await listApiKeys(ctx, page);
      return { body: toList(rows, page, presentApiKey) };
    },
  );

  operatorRoute(
    api,
    {
      method: "delete",
      path: `${KEYS_PATH}/{key}`,
      operationId: "revokeKey",
      tag: OPERATOR_TAG,
      summary: "Revoke a key",
      description:
        "It answers 401 from the next request on, and its automation hooks get nothing more.",
      params: ApiKeyParams,
      success: { status: 204, description: "Revoked." },
    },
    async (request) => {
      const { workspace, key } = request.params;
      await revokeKey(inWorkspace(request.ctx, workspace), key);
      return {};
    },
  );
}
