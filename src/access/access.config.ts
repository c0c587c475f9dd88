import { z } from "zod";
import { defineSettings } from "../platform/config.ts";

const limit = z.coerce.number({ error: "must be a whole number" }).int().min(1);

export const accessSettings = defineSettings(
  z.object({
    ADMIN_TOKEN: z
      .string()
      .default("")
      .describe("Opens the operator's API under `/admin/v1`. Unset: that API is not there.")
      .meta({ secret: true }),
    KEY_RATE_LIMIT: limit.default(60).describe("Requests a minute of one API key. 60."),
    WEBHOOK_CHANGE_RATE_LIMIT: limit
      .default(60)
      .describe("Webhook changes a minute of one workspace. 60."),
    IDEMPOTENCY_LEASE_SECONDS: limit
      .default(30)
      .describe("How long a request that was cut off holds its key. 30."),
  }),
);
