import {
  OPERATOR_TAG,
  operatorRoute,
  WORKSPACE_PATH,
} from "../../../access/operator/operator-route.ts";
import type { Api } from "../../../api/api.ts";
import { idParams } from "../../../api/ids.ts";
import { inWorkspace } from "../../../platform/context/context.ts";
import { presentFile } from "./files.presenter.ts";
import { SwitchedFileAnswer, SwitchFile } from "./files.schemas.ts";
import { getFile, setFileDisabled } from "./files.service.ts";

export function addFileSwitchRoute(api: Api): void {
  operatorRoute(
    api,
    {
      method: "patch",
      path: `${WORKSPACE_PATH}/files/{file}`,
      operationId: "switchFile",
      tag: OPERATOR_TAG,
      summary: "Take a file's content out of service, or back into it",
      description:
        "For abuse: its address answers 410 within a minute, whoever has or uploads the same content, and no workspace can undo it.",
      params: idParams("workspace", "file"),
      body: SwitchFile,
      success: { status: 200, description: "The file.", schema: SwitchedFileAnswer },
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      const file = await getFile(ctx, request.params.file);
      const { disabled } = request.body();
      await setFileDisabled(ctx, file, disabled);
      return { body: { data: { ...presentFile(ctx, file), disabled } } };
    },
  );
}
