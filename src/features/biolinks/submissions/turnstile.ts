import { z } from "zod";
import type { Env } from "../../../platform/config.ts";
import type { Log } from "../../../platform/log.ts";
import { turnstileSettings } from "../../../visitor/bio-pages/turnstile.config.ts";

/** What Turnstile's script adds to the form. */
export const TURNSTILE_INPUT = "cf-turnstile-response";
const MAX_RESPONSE_CHARACTERS = 2048;
const TIMEOUT_MILLISECONDS = 5000;
const Verified = z.object({ success: z.boolean(), "error-codes": z.array(z.string()).optional() });
/** That it is our fault or Cloudflare's, or that the visitor's browser runs no script. */
const FAULTS = new Set([
  "missing-input-secret",
  "invalid-input-secret",
  "missing-input-response",
  "internal-error",
  "bad-request",
]);

/**
 * What Turnstile says of a visitor. The visitor's address is not told. A response passes once, but
 * for who asks again with the same nonce, as a double click does. Never throws.
 */
export async function askTurnstile(
  env: Env,
  log: Log,
  response: string,
  nonce: string,
): Promise<"passed" | "refused" | "unavailable"> {
  try {
    const settings = turnstileSettings.read(env);
    const { TURNSTILE_SITE_KEY, TURNSTILE_SECRET_KEY: secret, TURNSTILE_VERIFY_URL } = settings;
    if (TURNSTILE_SITE_KEY === "" || secret === "") return "unavailable";
    if (response.length > MAX_RESPONSE_CHARACTERS) return "refused";
    const answer = await fetch(TURNSTILE_VERIFY_URL, {
      method: "POST",
      body: new URLSearchParams({ secret, response, idempotency_key: nonce }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    const { success, "error-codes": codes = [] } = Verified.parse(await answer.json());
    if (success) return "passed";
    if (!codes.some((code) => FAULTS.has(code))) return "refused";
    if (!codes.includes("missing-input-response")) {
      log.error("turnstile_unavailable", { codes: codes.join(",") });
    }
  } catch (fault) {
    log.error("turnstile_unavailable", { fault });
  }
  return "unavailable";
}
