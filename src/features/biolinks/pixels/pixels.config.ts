import { defineSettings, type Env, findText, ServerUrl } from "../../../platform/config.ts";

/** Access tokens go there. */
function mustBeSafe(url: string, env: Env): string | undefined {
  const isDevelopment =
    findText(env, "ALLOW_PRIVATE_TARGETS") === "true" && !findText(env, "PLATFORM_HOST");
  return url.startsWith("https://") || isDevelopment ? undefined : "must be https";
}

export const pixelSettings = defineSettings(
  {
    META_API_URL: ServerUrl.default("https://graph.facebook.com/v21.0").describe(
      "Meta's Conversions API, its version included.",
    ),
    GOOGLE_ANALYTICS_URL: ServerUrl.default("https://www.google-analytics.com").describe(
      "Google Analytics' Measurement Protocol.",
    ),
  },
  { META_API_URL: mustBeSafe, GOOGLE_ANALYTICS_URL: mustBeSafe },
);
