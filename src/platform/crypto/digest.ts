import { toBytes, toHex } from "../bytes.ts";

export async function sha256(data: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof data === "string" ? toBytes(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  return toHex(await sha256(data));
}

/**
 * Compares two secrets in a time that tells nothing of either: both are hashed first, so
 * that their lengths do not show either.
 */
export async function equalSecrets(given: string, expected: string): Promise<boolean> {
  const [left, right] = await Promise.all([sha256(given), sha256(expected)]);
  return crypto.subtle.timingSafeEqual(left, right);
}
