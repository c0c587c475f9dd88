import { z } from "zod";
import { defineSettings, Token } from "../platform/config.ts";

/** A wrong limit neither opens nor closes the gate: it is the usual one then. */
function limit(usual: number) {
  return z
    .string()
    .regex(/^0*[1-9]\d{0,8}$/, { error: "must be a whole number from 1 to 999999999" })
    .transform(Number)
    .default(usual)
    .meta({ defaultIfWrong: true });
}

/** Shorter ones can be guessed: 30 tries a minute from each of many addresses add up. */
const MIN_TOKEN_LENGTH = 16;

export const accessSettings = defineSettings({
  ADMIN_TOKEN: Token.refine((token) => token === "" || token.length >= MIN_TOKEN_LENGTH, {
    error: `must have at least ${MIN_TOKEN_LENGTH} characters, or be unset: make one with \`openssl rand -hex 24\``,
  })
    .describe("Opens the operator's API under `/admin/v1`. Unset: that API is not there.")
    .meta({ secret: true }),
  KEY_RATE_LIMIT: limit(60).describe("Requests a minute of one API key. 60."),
  WEBHOOK_CHANGE_RATE_LIMIT: limit(60).describe("Webhook changes a minute of one workspace. 60."),
  IMPORT_ROW_RATE_LIMIT: limit(20_000).describe(
    "Rows that one workspace may import a minute. 20000.",
  ),
  IDEMPOTENCY_LEASE_SECONDS: limit(30).describe(
    "How long a request that was cut off holds its key. 30.",
  ),
});
