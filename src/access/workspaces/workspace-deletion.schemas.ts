import { z } from "@hono/zod-openapi";
import { WORKSPACE_DELETION } from "./workspaces.examples.ts";

export const WorkspaceDeletion = z
  .object({
    workspace: z.uuid(),
    status: z.enum(["running", "finished"]),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .openapi("WorkspaceDeletion", {
    example: WORKSPACE_DELETION,
    description:
      "That a workspace is deleted. It is kept, and holds nothing of the workspace but its id.",
  });
export type WorkspaceDeletion = z.output<typeof WorkspaceDeletion>;

export const WorkspaceDeletionAnswer = z.object({ data: WorkspaceDeletion });
