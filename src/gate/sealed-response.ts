import { type Env, settingsOf } from "../env.ts";
import type { ApiResult } from "../http/route.ts";
import { randomBytes, toBytes, toText } from "../lib/bytes.ts";

const IV_BYTES = 12;
const keys = new WeakMap<Env, Promise<CryptoKey>>();

function sealingKey(env: Env): Promise<CryptoKey> {
  let key = keys.get(env);
  if (!key) {
    const bytes = settingsOf(env).ENCRYPTION_KEY;
    key = crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    keys.set(env, key);
  }
  return key;
}

/**
 * Encrypts a response with AES-256-GCM (12 random bytes of IV before the ciphertext). It may hold
 * secrets. `context` says what it answers: sealed for one request, it opens for no other.
 */
export async function sealResponse(
  env: Env,
  context: string,
  response: ApiResult,
): Promise<Uint8Array> {
  const iv = randomBytes(IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: toBytes(context) };
  const plain = toBytes(JSON.stringify(response));
  const sealed = await crypto.subtle.encrypt(algorithm, await sealingKey(env), plain);
  const out = new Uint8Array(IV_BYTES + sealed.byteLength);
  out.set(iv);
  out.set(new Uint8Array(sealed), IV_BYTES);
  return out;
}

/** The inverse of {@link sealResponse}. @throws when the key, the context or a byte differs. */
export async function openResponse(
  env: Env,
  context: string,
  sealed: Uint8Array,
): Promise<ApiResult> {
  const iv = sealed.subarray(0, IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: toBytes(context) };
  const key = await sealingKey(env);
  const plain = await crypto.subtle.decrypt(algorithm, key, sealed.subarray(IV_BYTES));
  return JSON.parse(toText(new Uint8Array(plain))) as ApiResult;
}
