import { z } from "@hono/zod-openapi";
import { Member } from "./members.schemas.ts";
import { FEATURES } from "./permissions.ts";

const Plan = z.enum(["free", "pro", "business"]);
const Features = z.array(z.enum(FEATURES)).openapi({
  description: "What the workspace may use. The endpoints of other features answer 404.",
});

export const Workspace = z
  .object({
    id: z.uuid(),
    name: z.string(),
    plan: Plan,
    status: z.enum(["active", "suspended"]),
    features: Features,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Workspace");
export type Workspace = z.output<typeof Workspace>;

export const WorkspaceAnswer = z.object({ data: Workspace });
export const NewWorkspaceAnswer = z.object({ data: Workspace.extend({ owner: Member }) });

export const CreateWorkspace = z
  .strictObject({
    name: z.string().trim().min(1).max(120).openapi({ example: "Brand" }),
    plan: Plan.default("free"),
    features: Features.default([...FEATURES]),
  })
  .openapi("CreateWorkspace");
export type CreateWorkspace = z.output<typeof CreateWorkspace>;

export const UpdateWorkspace = z
  .strictObject({
    status: z.enum(["active", "suspended"]).optional(),
    plan: Plan.optional(),
    features: Features.optional(),
  })
  .openapi("UpdateWorkspace");
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>;

export const WorkspaceParams = z.object({ workspace: z.uuid() });
