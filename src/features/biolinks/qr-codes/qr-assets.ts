import { waitUntil } from "cloudflare:workers";
import type { Env } from "../../../platform/config.ts";
import { isPlatformHost } from "../../../platform/platform-host.ts";
import type { Address } from "../../../platform/request-address.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { MissLimits, TooManyMisses } from "../../../visitor/addresses/miss-limits.ts";
import { pageResponse } from "../../../visitor/pages.ts";
import { findPublicQrCode } from "./qr-assets.repository.ts";
import { payloadOf } from "./qr-code-address.ts";
import { drawImage, IMAGE_TYPES, type ImageFormat } from "./qr-image.ts";
import { findLogo } from "./qr-logo-file.ts";

const PATH =
  /^\/assets\/qr\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{32})\.(svg|png)$/;
/** One size: whoever asks cannot have the same code drawn at a thousand. */
const SIZE = 1024;
/**
 * Who has it keeps it. The data centre's copy goes within a minute, as files do, and with it what was
 * deleted or taken out of service.
 */
const IMMUTABLE = "public, max-age=31536000, immutable";
const SHARED_SECONDS = 60;

/** Old pictures in many letters are no reason to have links looked up slowly. */
const limits = new MissLimits("qr");

/** Whether a path is one of the public pictures of QR codes. */
export function isQrAssetPath(path: string): boolean {
  return path.startsWith("/assets/qr/");
}

/**
 * A QR code's picture, for anybody, on the platform's host and the workspace's own. It is drawn once
 * a data centre and minute; who tries addresses at random is limited as who tries slugs is. Never throws.
 */
export async function serveQrAsset(request: Request, env: Env, url: Address): Promise<Response> {
  const [, id, revision, format] = PATH.exec(url.pathname) ?? [];
  if (!id || !revision || !format) return pageResponse(request, { kind: "not_found" });
  if (request.method !== "GET" && request.method !== "HEAD") {
    return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
  }
  const host = isPlatformHost(env, url) ? null : hostNameOf(url);
  const asked = { id, revision, host, format: format as ImageFormat };
  try {
    const key = cacheKey(env, asked);
    const shared = await caches.default.match(key).catch(() => undefined);
    const type = IMAGE_TYPES[asked.format];
    if (shared) return answer(request, type, shared.body);
    const picture = await draw(env, request.headers, asked);
    if (picture === undefined) return pageResponse(request, { kind: "not_found" });
    const headers = { "Content-Type": type, "Cache-Control": `public, max-age=${SHARED_SECONDS}` };
    waitUntil(caches.default.put(key, new Response(picture, { headers })).catch(() => undefined));
    return answer(request, type, picture);
  } catch (error) {
    if (error instanceof TooManyMisses) {
      return pageResponse(request, { kind: "too_many_misses", waitSeconds: error.waitSeconds });
    }
    return pageResponse(request, { kind: "unavailable" }, error);
  }
}

interface Asked {
  id: string;
  revision: string;
  host: string | null;
  format: ImageFormat;
}

/** @throws TooManyMisses */
async function draw(env: Env, headers: Headers, asked: Asked) {
  const look = await limits.begin(env, headers, asked.host ?? "");
  try {
    const code = await findPublicQrCode(env, asked);
    look.ended(code !== undefined);
    if (!code) return undefined;
    const logo = await findLogo(env, code);
    return drawImage(payloadOf(code), code.style, { format: asked.format, size: SIZE, logo });
  } catch (error) {
    look.ended(true);
    throw error;
  }
}

/** Where no visitor can ask for it: the API answers there. What follows a `?` makes no other picture. */
function cacheKey({ PLATFORM_HOST }: Env, { id, revision, host, format }: Asked): string {
  const name = `${host ?? ""}/${id}.${revision}.${format}`;
  return `https://${PLATFORM_HOST || "localhost"}/api/_visitor/qr/v2/${name}`;
}

function answer(request: Request, type: string, body: BodyInit | null): Response {
  return new Response(request.method === "HEAD" ? null : body, {
    headers: {
      "Content-Type": type,
      "Cache-Control": IMMUTABLE,
      "X-Content-Type-Options": "nosniff",
      // Opened by itself it is a document of that host: it may do nothing there.
      "Content-Security-Policy": "default-src 'none'; img-src data:; sandbox",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
