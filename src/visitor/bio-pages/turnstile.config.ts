import { z } from "zod";
import { defineSettings, ServerUrl, Token } from "../../platform/config.ts";

export const turnstileSettings = defineSettings({
  TURNSTILE_SITE_KEY: z
    .string()
    .regex(/^[\w-]*$/, { error: "must be the site key of a Turnstile widget" })
    .default("")
    .describe("The site key of Cloudflare Turnstile, for forms that ask for it.")
    .meta({ defaultIfWrong: true }),
  TURNSTILE_SECRET_KEY: Token.describe(
    "The secret of that widget. Without both, what such forms bring is held.",
  ).meta({ secret: true }),
  TURNSTILE_VERIFY_URL: ServerUrl.default(
    "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  ).describe("Where Turnstile's answers are verified, which the tests replace."),
});
