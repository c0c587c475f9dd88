import { fromBase64, randomBytes, toBase64, toBytes } from "../bytes.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new signing secret, as its owner is shown it. */
export function generateSecret(): string {
  return PREFIX + toBase64(randomBytes(SECRET_BYTES));
}

/** Of the very list of secrets that is given: whoever holds on to it has each imported once. */
const signingKeys = new WeakMap<readonly string[], Promise<CryptoKey[]>>();

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.slice(PREFIX.length)) ?? new Uint8Array();
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/**
 * The headers that name and sign a delivery after Standard Webhooks; each secret gives one
 * signature, and without any there is none.
 */
export async function signatureHeaders(
  deliveryId: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const content = toBytes(`${deliveryId}.${timestampSeconds}.${body}`);
  const signing = signingKeys.get(secrets) ?? Promise.all(secrets.map(importSecret));
  signingKeys.set(secrets, signing);
  const signatures = await Promise.all(
    (await signing).map(
      async (key) =>
        `v1,${toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, content)))}`,
    ),
  );
  return {
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestampSeconds),
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}
