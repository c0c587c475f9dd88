import { fromBase64, randomBytes, toBase64, toBytes } from "../bytes.ts";

/** As many rounds as Workers allow. */
const ROUNDS = 100_000;
const SALT_BYTES = 16;

async function derive(password: string, salt: Uint8Array, rounds: number): Promise<Uint8Array> {
  const normal = toBytes(password.normalize("NFC"));
  const key = await crypto.subtle.importKey("raw", normal, "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}

/** `pbkdf2-sha256$rounds$salt$hash`, with a salt of its own. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, ROUNDS);
  return ["pbkdf2-sha256", ROUNDS, toBase64(salt), toBase64(hash)].join("$");
}

/** Compares in constant time. */
export async function isPassword(given: string, stored: string): Promise<boolean> {
  const [, rounds, salt, hash] = stored.split("$");
  const expected = fromBase64(hash ?? "");
  const saltBytes = fromBase64(salt ?? "");
  if (!expected || !saltBytes) return false;
  const actual = await derive(given, saltBytes, Number(rounds));
  return actual.length === expected.length && crypto.subtle.timingSafeEqual(actual, expected);
}
