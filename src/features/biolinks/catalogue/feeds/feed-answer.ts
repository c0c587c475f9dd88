/** A feed at its public address. */
import type { Env } from "../../../../platform/config.ts";
import { backgroundWork, inWorkspace } from "../../../../platform/context/context.ts";
import { createLog } from "../../../../platform/log.ts";
import { isPlatformHost, platformOrigin } from "../../../../platform/platform-host.ts";
import type { Address } from "../../../../platform/request-address.ts";
import { pageResponse } from "../../../../visitor/pages.ts";
import { findFeedOwner } from "./feed-address.repository.ts";
import { readFeedPath } from "./feed-address.ts";
import { FEED_FORMATS, type FeedFormat, openFeed } from "./product-feed.ts";

/** How old the data centre's copy may be: to make one costs a query for each 250 products. */
const SHARED_SECONDS = 15 * 60;
/** What others keep of it: an address that was taken back is soon gone for them too. */
const CACHE_CONTROL = "public, max-age=300";

/**
 * The feed that an address was given for, on the platform's host. An address that is not signed asks
 * nobody; one that is asks the database for a row, so that it can be taken back. Never throws.
 */
export async function serveFeed(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
): Promise<Response> {
  try {
    const asked = isPlatformHost(env, url) ? await readFeedPath(env, url.pathname) : undefined;
    if (!asked) return pageResponse(request, { kind: "not_found" });
    if (request.method !== "GET" && request.method !== "HEAD") {
      return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
    }
    const { success } = await env.MISS_RATE_LIMIT.limit({ key: `feed ${asked.id}` });
    if (!success) return pageResponse(request, { kind: "too_many_tries", waitSeconds: 60 });
    const owner = await findFeedOwner(env, asked.id);
    if (!owner) return pageResponse(request, { kind: "not_found" });
    if (request.method === "HEAD") return answer(asked.format, null);
    const key = cacheKey(env, asked);
    const shared = await caches.default.match(key).catch(() => undefined);
    if (shared) return answer(asked.format, shared.body);
    const origin = platformOrigin(env, new URL(request.url));
    const work = { ...backgroundWork(env, ctx, createLog()), platformOrigin: origin };
    const open = () => openFeed(inWorkspace(work, owner), { format: asked.format, isPublic: true });
    // Whole before it is answered: a client that reads slowly holds no query up, and no memory.
    const headers = { "Cache-Control": `public, max-age=${SHARED_SECONDS}` };
    await caches.default.put(key, new Response(await open(), { headers }));
    const kept = await caches.default.match(key).catch(() => undefined);
    return answer(asked.format, kept?.body ?? (await open()));
  } catch (error) {
    return pageResponse(request, { kind: "unavailable" }, error);
  }
}

/** Where no visitor can ask for it: the API answers there. */
function cacheKey({ PLATFORM_HOST }: Env, asked: { id: string; format: FeedFormat }): string {
  const name = `${asked.id}.${FEED_FORMATS[asked.format].ending}`;
  return `https://${PLATFORM_HOST || "localhost"}/api/_visitor/feeds/v1/${name}`;
}

function answer(format: FeedFormat, body: BodyInit | null): Response {
  return new Response(body, {
    headers: {
      "Content-Type": FEED_FORMATS[format].contentType,
      "Cache-Control": CACHE_CONTROL,
      "X-Content-Type-Options": "nosniff",
      "X-Robots-Tag": "noindex",
      // Opened by itself it is a document of that host: it may do nothing there.
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Request-Id": crypto.randomUUID(),
    },
  });
}
