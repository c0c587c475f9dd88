import { fromBase64, toBase64, toBytes } from "../../../platform/bytes.ts";
import { type Env, platformSettings } from "../../../platform/config.ts";
import { idFromBytes, idToBytes } from "../../../platform/ids.ts";

/** How long the address of a preview opens it. */
export const PREVIEW_MILLISECONDS = 60 * 60_000;
const ID_BYTES = 16;
/** Seconds since the epoch, which fit until the year 2106. */
const TIME_BYTES = 4;
const SIGNED_BYTES = ID_BYTES + TIME_BYTES;
/** HMAC-SHA-256, of which half is as much as nobody guesses. */
const SIGNATURE_BYTES = 16;
const HMAC = { name: "HMAC", hash: "SHA-256" };
const PURPOSE = toBytes("signpost page preview v1");

/** What a preview's address shows, and until when, in milliseconds. */
export interface Preview {
  pageId: string;
  expiresAt: number;
}

/** A token that opens a page's draft: the page, when it ends, and a signature of both. */
export async function signPreview(env: Env, { pageId, expiresAt }: Preview): Promise<string> {
  const { ENCRYPTION_KEY } = platformSettings.read(env);
  const signed = new Uint8Array(SIGNED_BYTES);
  signed.set(idToBytes(pageId));
  new DataView(signed.buffer).setUint32(ID_BYTES, Math.floor(expiresAt / 1000));
  const token = new Uint8Array(SIGNED_BYTES + SIGNATURE_BYTES);
  token.set(signed);
  token.set(await signatureOf(ENCRYPTION_KEY, signed), SIGNED_BYTES);
  return toBase64(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * What a token opens, if it is one of ours, by today's key or one of before, and not expired at a
 * time, in milliseconds; else undefined.
 */
export async function readPreview(
  env: Env,
  token: string,
  time: number,
): Promise<Preview | undefined> {
  if (!/^[A-Za-z0-9_-]{48}$/.test(token)) return undefined;
  const bytes = fromBase64(token.replaceAll("-", "+").replaceAll("_", "/"));
  if (bytes?.length !== SIGNED_BYTES + SIGNATURE_BYTES) return undefined;
  const signed = bytes.slice(0, SIGNED_BYTES);
  const { ENCRYPTION_KEY, ENCRYPTION_KEYS_OLD } = platformSettings.read(env);
  const signatures = await Promise.all(
    [ENCRYPTION_KEY, ...ENCRYPTION_KEYS_OLD].map((key) => signatureOf(key, signed)),
  );
  const given = bytes.slice(SIGNED_BYTES);
  if (!signatures.some((one) => crypto.subtle.timingSafeEqual(one, given))) return undefined;
  const expiresAt = new DataView(signed.buffer).getUint32(ID_BYTES) * 1000;
  const pageId = idFromBytes(signed.slice(0, ID_BYTES));
  return time < expiresAt ? { pageId, expiresAt } : undefined;
}

/** Signed with a key that is good for nothing else. */
async function signatureOf(secret: Uint8Array, signed: Uint8Array): Promise<Uint8Array> {
  const key = await hmac(await hmac(secret, PURPOSE), signed);
  return key.slice(0, SIGNATURE_BYTES);
}

async function hmac(secret: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}
