import type { Env } from "../../../platform/config.ts";
import { seal, Unopenable, unseal } from "../../../platform/crypto/vault.ts";

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

/** @throws Unopenable when no key of ours opens it any more */
export async function openSecret(
  env: Env,
  endpointId: string,
  sealed: Uint8Array,
): Promise<string> {
  return unseal(env, endpointSecretContext(endpointId), sealed);
}

/** As {@link openSecret}; undefined when it is lost. */
export async function findSecret(
  env: Env,
  endpointId: string,
  sealed: Uint8Array,
): Promise<string | undefined> {
  try {
    return await openSecret(env, endpointId, sealed);
  } catch (error) {
    if (error instanceof Unopenable) return undefined;
    throw error;
  }
}
