import type { Env } from "../../../platform/config.ts";
import { seal, unseal } from "../../../platform/crypto/vault.ts";

/** What a sealed secret belongs to: it opens for its own endpoint only. */
function endpointSecretContext(endpointId: string): string {
  return `webhook-secret:${endpointId}`;
}

export async function sealSecret(
  env: Env,
  endpointId: string,
  secret: string,
): Promise<Uint8Array> {
  return seal(env, endpointSecretContext(endpointId), secret);
}

export async function openSecret(
  env: Env,
  endpointId: string,
  sealed: Uint8Array,
): Promise<string> {
  return unseal(env, endpointSecretContext(endpointId), sealed);
}
