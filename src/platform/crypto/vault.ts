import { randomBytes, toBytes, toText } from "../bytes.ts";
import { type Env, platformSettings } from "../config.ts";

const IV_BYTES = 12;
const keys = new WeakMap<Env, Promise<CryptoKey>>();

function vaultKey(env: Env): Promise<CryptoKey> {
  let key = keys.get(env);
  if (!key) {
    const bytes = platformSettings.read(env).ENCRYPTION_KEY;
    key = crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    keys.set(env, key);
  }
  return key;
}

/** @throws SettingFault when nothing can be encrypted */
export function assertCanSeal(env: Env): void {
  platformSettings.assert(env, "ENCRYPTION_KEY");
}

/**
 * Encrypts a text with AES-256-GCM (12 random bytes of IV before the ciphertext). `context` says
 * what it belongs to: sealed for one record, it opens for no other.
 */
export async function seal(env: Env, context: string, text: string): Promise<Uint8Array> {
  const iv = randomBytes(IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: toBytes(context) };
  const sealed = await crypto.subtle.encrypt(algorithm, await vaultKey(env), toBytes(text));
  const out = new Uint8Array(IV_BYTES + sealed.byteLength);
  out.set(iv);
  out.set(new Uint8Array(sealed), IV_BYTES);
  return out;
}

/** The inverse of {@link seal}. @throws when the key, the context or a byte differs. */
export async function unseal(env: Env, context: string, sealed: Uint8Array): Promise<string> {
  const iv = sealed.subarray(0, IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: toBytes(context) };
  const key = await vaultKey(env);
  const plain = await crypto.subtle.decrypt(algorithm, key, sealed.subarray(IV_BYTES));
  return toText(new Uint8Array(plain));
}
