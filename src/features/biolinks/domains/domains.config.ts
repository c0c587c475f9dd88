import { z } from "zod";
import { defineSettings } from "../../../platform/config.ts";

export const domainSettings = defineSettings(
  z.object({
    CNAME_TARGET: z
      .string()
      .default("")
      .describe("Where custom domains lead their traffic. Default: `PLATFORM_HOST`."),
    CF_ZONE_ID: z
      .string()
      .default("")
      .describe("With `CF_API_TOKEN`: the zone of Cloudflare for SaaS, for certificates."),
    CF_API_TOKEN: z
      .string()
      .default("")
      .describe("A token that may edit SSL and certificates of that zone.")
      .meta({ secret: true }),
    CF_API_URL: z
      .url({ error: "must be a URL" })
      .default("https://api.cloudflare.com/client/v4")
      .describe("Cloudflare's API, which the tests replace."),
  }),
);
