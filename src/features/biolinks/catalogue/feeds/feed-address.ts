/** The public address of a feed: an id, and a signature that nobody else can make. */
import { fromBase64, toBase64, toBytes } from "../../../../platform/bytes.ts";
import { type Env, platformSettings } from "../../../../platform/config.ts";
import { idFromBytes, idToBytes } from "../../../../platform/ids.ts";
import { FEED_FORMATS, type FeedFormat } from "./product-feed.ts";

const ID_BYTES = 16;
/** HMAC-SHA-256, of which half is as much as nobody guesses. */
const SIGNATURE_BYTES = 16;
const HMAC = { name: "HMAC", hash: "SHA-256" };
const PURPOSE = toBytes("signpost product feed v1");
const PREFIX = "/assets/feeds/";
const PATH = /^\/assets\/feeds\/([A-Za-z0-9_-]{43})\.(csv|xml)$/;

/** Whether a path is one of feeds, whatever its token is. */
export function isFeedPath(path: string): boolean {
  return path.startsWith(PREFIX);
}

/** The paths of a feed, by format. */
export async function feedPaths(env: Env, id: string): Promise<Record<FeedFormat, string>> {
  const { ENCRYPTION_KEY } = platformSettings.read(env);
  const signed = idToBytes(id);
  const token = new Uint8Array(ID_BYTES + SIGNATURE_BYTES);
  token.set(signed);
  token.set(await signatureOf(ENCRYPTION_KEY, signed), ID_BYTES);
  const written = toBase64(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const pathOf = (format: FeedFormat) => `${PREFIX}${written}.${FEED_FORMATS[format].ending}`;
  return { csv: pathOf("csv"), rss: pathOf("rss") };
}

/** What a path names, if we signed it, by today's key or one of before. */
export async function readFeedPath(
  env: Env,
  path: string,
): Promise<{ id: string; format: FeedFormat } | undefined> {
  const [, token, ending] = PATH.exec(path) ?? [];
  if (!token) return undefined;
  const bytes = fromBase64(`${token.replaceAll("-", "+").replaceAll("_", "/")}=`);
  if (bytes?.length !== ID_BYTES + SIGNATURE_BYTES) return undefined;
  const signed = bytes.slice(0, ID_BYTES);
  const { ENCRYPTION_KEY, ENCRYPTION_KEYS_OLD } = platformSettings.read(env);
  const signatures = await Promise.all(
    [ENCRYPTION_KEY, ...ENCRYPTION_KEYS_OLD].map((key) => signatureOf(key, signed)),
  );
  const given = bytes.slice(ID_BYTES);
  if (!signatures.some((one) => crypto.subtle.timingSafeEqual(one, given))) return undefined;
  return { id: idFromBytes(signed), format: ending === "csv" ? "csv" : "rss" };
}

/** Signed with a key that is good for nothing else. */
async function signatureOf(secret: Uint8Array, signed: Uint8Array): Promise<Uint8Array> {
  const signature = await hmac(await hmac(secret, PURPOSE), signed);
  return signature.slice(0, SIGNATURE_BYTES);
}

async function hmac(secret: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}
