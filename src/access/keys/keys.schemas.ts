import { z } from "@hono/zod-openapi";
import { PERMISSIONS } from "../workspaces/permissions.ts";

const Everything = z.tuple([z.literal("*")]).openapi({
  type: "array",
  items: { type: "string", enum: ["*"] },
  minItems: 1,
  maxItems: 1,
});

const Permissions = z
  .union([Everything, z.array(z.enum(PERMISSIONS)).min(1)], {
    error: `Must be ["*"], or a list of: ${PERMISSIONS.join(", ")}.`,
  })
  .openapi({ description: '`["*"]`: everything that its member may do.', example: ["*"] });

export const ApiKey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    last_four: z.string().openapi({ description: "The last four characters of the key." }),
    permissions: z.array(z.string()),
    member: z.uuid(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .openapi("ApiKey");
export type ApiKey = z.output<typeof ApiKey>;

export const NewApiKeyAnswer = z.object({
  data: ApiKey,
  key: z.string().openapi({ description: "Shown this once.", example: "osk_…" }),
});

export const CreateApiKey = z
  .strictObject({
    name: z.string().trim().min(1).max(120).openapi({ example: "Shop" }),
    permissions: Permissions,
    member: z.uuid().optional().openapi({ description: "Default: the workspace's owner." }),
    expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
  })
  .openapi("CreateApiKey");
export type CreateApiKey = z.output<typeof CreateApiKey>;

export const ApiKeyParams = z.object({ workspace: z.uuid(), key: z.uuid() });
