import type { ApiResult } from "../../api/route-spec.ts";
import type { Env } from "../../platform/config.ts";
import { seal, unseal } from "../../platform/crypto/vault.ts";

/** No answer is known that is larger. One that was would not be kept for a replay. */
export const MAX_ANSWER_BYTES = 512 * 1024;

/** Encrypts a response for the gate to remember: it may hold a secret that is shown once. */
export async function sealResponse(
  env: Env,
  context: string,
  response: ApiResult,
): Promise<Uint8Array> {
  return seal(env, context, JSON.stringify(response));
}

/** The inverse of {@link sealResponse}. */
export async function openResponse(
  env: Env,
  context: string,
  sealed: Uint8Array,
): Promise<ApiResult> {
  return JSON.parse(await unseal(env, context, sealed)) as ApiResult;
}
