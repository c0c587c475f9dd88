import type { Env } from "../../../platform/config.ts";
import { seal, unseal } from "../../../platform/crypto/vault.ts";

/** What a sealed token belongs to: it opens for its own pixel only. */
function tokenContext(pixelId: string): string {
  return `pixel-token:${pixelId}`;
}

export async function sealToken(env: Env, pixelId: string, token: string): Promise<Uint8Array> {
  return seal(env, tokenContext(pixelId), token);
}

/** @throws Unopenable when no key of ours opens it any more */
export async function openToken(env: Env, pixelId: string, sealed: Uint8Array): Promise<string> {
  return unseal(env, tokenContext(pixelId), sealed);
}
