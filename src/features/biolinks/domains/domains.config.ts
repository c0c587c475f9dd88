import { z } from "zod";
import { defineSettings, type Env, findText, ServerUrl, Token } from "../../../platform/config.ts";

const HOST_NAME = /^[\w-]+(?:\.[\w-]+)*\.?(?::\d+)?$/;

export const domainSettings = defineSettings(
  {
    CNAME_TARGET: z
      .string()
      .regex(HOST_NAME, { error: "must be a host name, as cname.sign.example" })
      .or(z.literal(""))
      .default("")
      .describe("Where custom domains lead their traffic. Default: `PLATFORM_HOST`."),
    CF_ZONE_ID: z
      .string()
      .regex(/^\w*$/, { error: "must be the id of a zone" })
      .default("")
      .describe("With `CF_API_TOKEN`: the zone of Cloudflare for SaaS, for certificates."),
    CF_API_TOKEN: Token.describe("A token that may edit SSL and certificates of that zone.").meta({
      secret: true,
    }),
    CF_API_URL: ServerUrl.default("https://api.cloudflare.com/client/v4").describe(
      "Cloudflare's API, which the tests replace.",
    ),
  },
  {
    CF_ZONE_ID: (zone, env) => half(zone, env, "CF_API_TOKEN"),
    CF_API_TOKEN: (token, env) => half(token, env, "CF_ZONE_ID"),
  },
);

/** One without the other is of no use. */
function half(value: string, env: Env, other: string): string | undefined {
  return value === "" && findText(env, other) ? `is not set: ${other} is, and needs it` : undefined;
}
