import { z } from "@hono/zod-openapi";
import { optional } from "../../../api/blank.ts";
import { Id } from "../../../api/ids.ts";
import { trimmedText } from "../../../api/text.ts";

const Name = trimmedText(60).openapi({ example: "VIP" });

export const CreateLabel = z.strictObject({ name: Name }).openapi("CreateLabel");
export const UpdateLabel = z.strictObject({ name: optional(Name) }).openapi("UpdateLabel");

export const Label = z
  .object({
    id: z.uuid(),
    revision: z.string(),
    name: z.string().openapi({ description: "Unique in the workspace, whatever its case." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Label", { description: "A tag or a stage." });
export type Label = z.output<typeof Label>;

export const LabelAnswer = z.object({ data: Label });
export const LabelParams = z.object({ id: Id });
