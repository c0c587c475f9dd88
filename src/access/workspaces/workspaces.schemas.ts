import { z } from "@hono/zod-openapi";
import { optional, withDefault } from "../../api/blank.ts";
import { idParams } from "../../api/ids.ts";
import { trimmedText } from "../../api/text.ts";
import { Member } from "./members.schemas.ts";
import { FEATURES } from "./permissions.ts";
import { OWNER, WORKSPACE } from "./workspaces.examples.ts";

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
  .openapi("Workspace", { example: WORKSPACE });
export type Workspace = z.output<typeof Workspace>;

export const WorkspaceAnswer = z.object({ data: Workspace });
export const NewWorkspaceAnswer = z.object({
  data: Workspace.extend({ owner: Member.openapi({ example: OWNER }) }),
});

export const CreateWorkspace = z
  .strictObject({
    name: trimmedText(120).openapi({ example: "Brand" }),
    plan: withDefault(Plan, "free"),
    features: withDefault(Features, [...FEATURES]),
  })
  .openapi("CreateWorkspace", { example: { name: "Brand", plan: "pro" } });
export type CreateWorkspace = z.output<typeof CreateWorkspace>;

export const UpdateWorkspace = z
  .strictObject({
    status: optional(z.enum(["active", "suspended"])),
    plan: optional(Plan),
    features: optional(Features),
  })
  .openapi("UpdateWorkspace", { example: { plan: "business" } });
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>;

export const WorkspaceParams = idParams("workspace");
