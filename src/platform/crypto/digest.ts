import { toBytes, toHex } from "../bytes.ts";

export async function sha256(data: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof data === "string" ? toBytes(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  return toHex(await sha256(data));
}

/** The same of bytes that follow each other, of which no copy is made as a whole. */
export async function sha256HexOf(...parts: Uint8Array[]): Promise<string> {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  for (const part of parts) await writer.write(part);
  await writer.close();
  return toHex(new Uint8Array(await stream.digest));
}

/**
 * Compares two secrets in a time that tells nothing of either: both are hashed first, so
 * that their lengths do not show either.
 */
export async function equalSecrets(given: string, expected: string): Promise<boolean> {
  const [left, right] = await Promise.all([sha256(given), sha256(expected)]);
  return crypto.subtle.timingSafeEqual(left, right);
}
