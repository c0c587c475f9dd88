import { fromBase64, toBase64, toBytes, toText } from "../../platform/bytes.ts";
import { type Env, platformSettings } from "../../platform/config.ts";

/** How long a form that was opened can be sent. */
export const TOKEN_MILLISECONDS = 24 * 60 * 60_000;
/** HMAC-SHA-256, of which half is as much as nobody guesses. */
const SIGNATURE_BYTES = 16;
const HMAC = { name: "HMAC", hash: "SHA-256" };
const PURPOSE = toBytes("signpost form token v1");
const TOKEN = /^([A-Za-z0-9_-]{1,3000})\.([A-Za-z0-9_-]{22})$/;

/** The form that a token is for. */
export interface TokenOf {
  pageId: string;
  blockId: string;
}

/** What a token says of the visit that it was made for. */
export interface FormVisit {
  /** The page's. */
  version: number;
  /** Of the form as it was shown. */
  digest: string;
  /** Milliseconds. */
  openedAt: number;
  /** Nobody is given the same twice. */
  nonce: string;
  /** The host of the page that led here; empty when there is none. */
  referrer: string;
  /** Source, medium and campaign, with line ends between them; empty when there is none. */
  utm: string;
}

/** A token that a form carries: what of its visit is to be known when it is sent. */
export async function signFormToken(env: Env, of: TokenOf, visit: FormVisit): Promise<string> {
  const { version, digest, openedAt, nonce, referrer, utm } = visit;
  const said = toUrlText(
    toBytes(JSON.stringify([version, digest, openedAt, nonce, referrer, utm])),
  );
  const { ENCRYPTION_KEY } = platformSettings.read(env);
  return `${said}.${toUrlText(await signatureOf(ENCRYPTION_KEY, of, said))}`;
}

/** What a token says, however old it is, if it was signed for this form; else undefined. */
export async function readFormToken(
  env: Env,
  of: TokenOf,
  token: string,
): Promise<FormVisit | undefined> {
  const [, said = "", signature = ""] = TOKEN.exec(token) ?? [];
  const given = fromUrlText(signature);
  if (given?.length !== SIGNATURE_BYTES) return undefined;
  const { ENCRYPTION_KEY, ENCRYPTION_KEYS_OLD } = platformSettings.read(env);
  const signatures = await Promise.all(
    [ENCRYPTION_KEY, ...ENCRYPTION_KEYS_OLD].map((key) => signatureOf(key, of, said)),
  );
  if (!signatures.some((one) => crypto.subtle.timingSafeEqual(one, given))) return undefined;
  const [version, digest, openedAt, nonce, referrer, utm] = JSON.parse(
    toText(fromUrlText(said) ?? new Uint8Array()),
  ) as [number, string, number, string, string, string];
  return { version, digest, openedAt, nonce, referrer, utm };
}

/** Signed with a key that is good for nothing else. No id has a line end. */
async function signatureOf(
  secret: Uint8Array,
  { pageId, blockId }: TokenOf,
  said: string,
): Promise<Uint8Array> {
  const signed = toBytes(`${pageId}\n${blockId}\n${said}`);
  const signature = await crypto.subtle.sign("HMAC", await keyOf(secret), signed);
  return new Uint8Array(signature, 0, SIGNATURE_BYTES);
}

/**
 * By the secret: settings give the same bytes for as long as they are the same. What is held is the
 * key, never the question for it, which dies with its request.
 */
const keys = new WeakMap<Uint8Array, CryptoKey>();

async function keyOf(secret: Uint8Array): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known) return known;
  const key = await deriveKey(secret);
  keys.set(secret, key);
  return key;
}

async function deriveKey(secret: Uint8Array): Promise<CryptoKey> {
  const from = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
  const derived = await crypto.subtle.sign("HMAC", from, PURPOSE);
  return crypto.subtle.importKey("raw", derived, HMAC, false, ["sign"]);
}

function toUrlText(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromUrlText(text: string): Uint8Array | undefined {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
