import type { Api } from "../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../api/pagination.ts";
import { inWorkspace } from "../../platform/context/context.ts";
import {
  OPERATOR_TAG,
  operatorRoute,
  WORKSPACE_PATH,
  WORKSPACES_PATH,
} from "../operator/operator-route.ts";
import { presentMember } from "./members.service.ts";
import {
  CreateWorkspace,
  NewWorkspaceAnswer,
  UpdateWorkspace,
  Workspace,
  WorkspaceAnswer,
  WorkspaceParams,
} from "./workspaces.schemas.ts";
import {
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  presentWorkspace,
  updateWorkspace,
} from "./workspaces.service.ts";

/** `changed` is told of each workspace whose state changes: what is cached of it no longer holds. */
export function addWorkspaceRoutes(api: Api, changed: (workspaceId: string) => void): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: WORKSPACES_PATH,
      operationId: "createWorkspace",
      tag: OPERATOR_TAG,
      summary: "Create a workspace",
      description: "An `owner` member is made for it.",
      body: CreateWorkspace,
      success: { status: 201, description: "The workspace.", schema: NewWorkspaceAnswer },
    },
    async (request) => {
      const { workspace, owner } = await createWorkspace(request.ctx, request.body());
      const data = { ...presentWorkspace(workspace), owner: presentMember(owner) };
      return { body: { data } };
    },
  );

  operatorRoute(
    api,
    {
      method: "get",
      path: WORKSPACES_PATH,
      operationId: "listWorkspaces",
      tag: OPERATOR_TAG,
      summary: "List workspaces",
      description: "All of this Signpost, suspended ones too.",
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Workspace) },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listWorkspaces(request.ctx, page);
      return { body: toList(rows, page, presentWorkspace) };
    },
  );

  operatorRoute(
    api,
    {
      method: "get",
      path: WORKSPACE_PATH,
      operationId: "getWorkspace",
      tag: OPERATOR_TAG,
      summary: "Read a workspace",
      description: "Its plan, its features, and whether it is suspended.",
      params: WorkspaceParams,
      success: { status: 200, description: "The workspace.", schema: WorkspaceAnswer },
    },
    async (request) => {
      const workspace = await getWorkspace(inWorkspace(request.ctx, request.params.workspace));
      return { body: { data: presentWorkspace(workspace) } };
    },
  );

  operatorRoute(
    api,
    {
      method: "patch",
      path: WORKSPACE_PATH,
      operationId: "updateWorkspace",
      tag: OPERATOR_TAG,
      summary: "Suspend a workspace, change its plan or its features",
      description:
        "The API knows on the next request; links of a suspended workspace answer 410 within 10 seconds. Of a suspended workspace, or of a feature that is off, nothing is delivered or sent: what waits goes on, a few thousand a minute, when that ends. 409: it is being deleted.",
      params: WorkspaceParams,
      body: UpdateWorkspace,
      errors: ["conflict"],
      success: { status: 200, description: "The workspace as it is now.", schema: WorkspaceAnswer },
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      const workspace = await updateWorkspace(ctx, await getWorkspace(ctx), request.body());
      changed(workspace.id);
      return { body: { data: presentWorkspace(workspace) } };
    },
  );
}
