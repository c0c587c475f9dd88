import type { Api } from "../../api/api.ts";
import { ApiError } from "../../api/errors.ts";
import type { Env } from "../../platform/config.ts";
import { clientAddress } from "./client-address.ts";

/** The bindings' period; they do not say when a place is free, only that after this one is. */
const PERIOD_SECONDS = 60;

/**
 * Counts what comes after it against the client's address, what is not there included: 429 when
 * an address has sent too much this minute.
 */
export function limitAddresses(api: Api): void {
  api.use(async (c, next) => {
    const { success } = await c.env.IP_RATE_LIMIT.limit({ key: clientAddress(c.req.raw.headers) });
    if (!success) throw new ApiError("rate_limited", { retryAfterSeconds: PERIOD_SECONDS });
    await next();
  });
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
