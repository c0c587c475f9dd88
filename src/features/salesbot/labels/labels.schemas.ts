import { z } from "@hono/zod-openapi";
import { optional } from "../../../api/blank.ts";
import { trimmedText } from "../../../api/text.ts";
import { CREATE_LABEL, LABEL, UPDATE_LABEL } from "./labels.examples.ts";

const Name = trimmedText(60).openapi({ example: "VIP" });

export const CreateLabel = z
  .strictObject({ name: Name })
  .openapi("CreateLabel", { example: CREATE_LABEL });
export const UpdateLabel = z
  .strictObject({ name: optional(Name) })
  .openapi("UpdateLabel", { example: UPDATE_LABEL });

export const Label = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    name: z.string().openapi({ description: "Unique in the workspace, whatever its case." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Label", { example: LABEL, description: "A tag or a stage." });
export type Label = z.output<typeof Label>;

export const LabelAnswer = z.object({ data: Label });
