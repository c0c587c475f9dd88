import { ApiError } from "../../api/errors.ts";
import type { Env } from "../../platform/config.ts";
import { clientAddress } from "./client-address.ts";

/** The bindings' period; they do not say when a place is free, only that after this one is. */
const PERIOD_SECONDS = 60;

/** @throws 429 when the client's address has sent too many API requests this minute. */
export async function limitAddress(env: Env, headers: Headers): Promise<void> {
  const { success } = await env.IP_RATE_LIMIT.limit({ key: clientAddress(headers) });
  if (!success) throw new ApiError("rate_limited", { retryAfterSeconds: PERIOD_SECONDS });
}

/** What to answer to a key that opens nothing: 401, or 429 when the address keeps trying. */
export async function refuseCredentials(
  env: Env,
  headers: Headers,
  message?: string,
): Promise<ApiError> {
  const { success } = await env.INVALID_KEY_RATE_LIMIT.limit({ key: clientAddress(headers) });
  if (success) return new ApiError("unauthenticated", { message });
  return new ApiError("rate_limited", {
    message: "Too many requests with an invalid key.",
    retryAfterSeconds: PERIOD_SECONDS,
  });
}
