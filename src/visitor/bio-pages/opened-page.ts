import { toBase64, toBytes } from "../../platform/bytes.ts";
import { type Env, platformSettings } from "../../platform/config.ts";
import { now } from "../../platform/time.ts";

/** What a visitor keeps who opened a locked page: for so long neither it nor what lies below asks again. */
const LIFETIME_SECONDS = 60 * 60;
const NAME = "signpost_open_";
const SIGNATURE_BYTES = 16;
const HMAC = { name: "HMAC", hash: "SHA-256" };

/** What opened it: the stored hash of the page's password, or, without one, a consent. */
export type OpenedBy = string | null;

function nameOf(pageId: string, isSecure: boolean): string {
  // By https browsers take it from this very host alone, and no host beside it.
  return `${isSecure ? "__Host-" : ""}${NAME}${pageId.replaceAll("-", "")}`;
}

/** A `Set-Cookie` header. Whoever has it opens one page, until its password is another. */
export async function openedCookie(
  env: Env,
  pageId: string,
  by: OpenedBy,
  isSecure: boolean,
): Promise<string> {
  const until = Math.floor(now() / 1000) + LIFETIME_SECONDS;
  const value = `${until}.${await signatureOf(env, pageId, by, until)}`;
  const kept = `Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax`;
  return `${nameOf(pageId, isSecure)}=${value}; ${kept}${isSecure ? "; Secure" : ""}`;
}

/** What a visitor kept that may open a page: nobody has looked at the signature yet. */
export interface KeptOpening {
  /** Seconds since the epoch. */
  until: number;
  signature: string;
}

/** What a `Cookie` header holds that may still open a page; undefined: nothing. */
export function openedIn(
  header: string,
  pageId: string,
  isSecure: boolean,
): KeptOpening | undefined {
  if (!header.includes(NAME)) return undefined;
  const name = nameOf(pageId, isSecure);
  const value = header
    .split(/[;,]/)
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  const [, until, signature] = /^(\d{10})\.([A-Za-z0-9_-]{22})$/.exec(value ?? "") ?? [];
  if (until === undefined || signature === undefined) return undefined;
  return Number(until) * 1000 > now() ? { until: Number(until), signature } : undefined;
}

/** Whether what was kept opens a page that opens by this now. */
export async function isOpenedBy(
  env: Env,
  pageId: string,
  by: OpenedBy,
  { until, signature }: KeptOpening,
): Promise<boolean> {
  const right = await signatureOf(env, pageId, by, until);
  return crypto.subtle.timingSafeEqual(toBytes(right), toBytes(signature));
}

async function signatureOf(env: Env, pageId: string, by: OpenedBy, until: number): Promise<string> {
  const secret = platformSettings.read(env).ENCRYPTION_KEY;
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign"]);
  const signed = toBytes(`opened-page\n${pageId}\n${until}\n${by ?? ""}`);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed), 0, SIGNATURE_BYTES);
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
