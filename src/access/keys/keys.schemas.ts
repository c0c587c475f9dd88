import { z } from "@hono/zod-openapi";
import { nullable, optional } from "../../api/blank.ts";
import { Id, idParams } from "../../api/ids.ts";
import { trimmedText } from "../../api/text.ts";
import { Time } from "../../api/times.ts";
import { now } from "../../platform/time.ts";
import { PERMISSIONS } from "../workspaces/permissions.ts";
import { API_KEY, CREATE_API_KEY } from "./keys.examples.ts";

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
  .openapi("ApiKey", { example: API_KEY });
export type ApiKey = z.output<typeof ApiKey>;

export const NewApiKeyAnswer = z.object({
  data: ApiKey,
  key: z.string().openapi({ description: "Shown this once.", example: "osk_…" }),
});

export const CreateApiKey = z
  .strictObject({
    name: trimmedText(120).openapi({ example: "Shop" }),
    permissions: Permissions,
    member: optional(Id).openapi({ description: "Default: the workspace's owner." }),
    expires_at: nullable(Time.refine((time) => time > now(), { error: "Must be in the future." })),
  })
  .openapi("CreateApiKey", { example: CREATE_API_KEY });
export type CreateApiKey = z.output<typeof CreateApiKey>;

export const ApiKeyParams = idParams("workspace", "key");
