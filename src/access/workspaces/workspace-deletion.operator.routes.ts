import type { Api } from "../../api/api.ts";
import { inWorkspace } from "../../platform/context/context.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "../operator/operator-route.ts";
import { WorkspaceDeletionAnswer } from "./workspace-deletion.schemas.ts";
import { getDeletion, presentDeletion, startDeletion } from "./workspace-deletion.ts";
import { WorkspaceParams } from "./workspaces.schemas.ts";

/** `changed` is told of each workspace that is suspended so: what is cached of it no longer holds. */
export function addWorkspaceDeletionRoutes(api: Api, changed: (workspaceId: string) => void): void {
  operatorRoute(
    api,
    {
      method: "delete",
      path: WORKSPACE_PATH,
      operationId: "deleteWorkspace",
      tag: OPERATOR_TAG,
      summary: "Delete a workspace and all that is stored of it",
      description:
        "It cannot be undone. The workspace is suspended at once, as by `PATCH`, and stays so: the API refuses its keys, its links answer 410 within 10 seconds, nothing is delivered or sent any more. Then a job erases all that is stored of it, up to 15,000 records a minute of all that are being deleted (300 of links and QR codes), and the workspace itself; an hour after that it looks once more, for what was on its way. Its files are removed from R2 within some days. `GET …/deletion` says how far it is. Sent again, the answer is the deletion as it stands.",
      params: WorkspaceParams,
      success: {
        status: 202,
        description: "It is suspended, and being erased.",
        schema: WorkspaceDeletionAnswer,
      },
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      const deletion = await startDeletion(ctx);
      changed(ctx.workspaceId);
      return { body: { data: presentDeletion(deletion) } };
    },
  );

  operatorRoute(
    api,
    {
      method: "get",
      path: `${WORKSPACE_PATH}/deletion`,
      operationId: "getWorkspaceDeletion",
      tag: OPERATOR_TAG,
      summary: "Read how far the deletion of a workspace is",
      description: "Also when the workspace is gone. 404: nobody deleted it.",
      params: WorkspaceParams,
      success: { status: 200, description: "The deletion.", schema: WorkspaceDeletionAnswer },
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      return { body: { data: presentDeletion(await getDeletion(ctx)) } };
    },
  );
}
