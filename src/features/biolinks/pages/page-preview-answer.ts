import { ApiError } from "../../../api/errors.ts";
import type { Env } from "../../../platform/config.ts";
import { backgroundWork, inWorkspace } from "../../../platform/context/context.ts";
import { createLog } from "../../../platform/log.ts";
import { isPlatformHost, platformOrigin } from "../../../platform/platform-host.ts";
import type { Address } from "../../../platform/request-address.ts";
import { now } from "../../../platform/time.ts";
import { hostNameOf } from "../../../platform/web-url.ts";
import { destinationOf, readBelow } from "../../../visitor/bio-pages/below-page.ts";
import { isShown } from "../../../visitor/bio-pages/page-audience.ts";
import { serveDownload } from "../../../visitor/bio-pages/page-download.ts";
import { answerPage } from "../../../visitor/bio-pages/page-response.ts";
import type { PublishedPage } from "../../../visitor/bio-pages/published-page.ts";
import { finalUrl } from "../../../visitor/decide/final-url.ts";
import type { Utm } from "../../../visitor/decide/visitor-link.ts";
import { pageResponse } from "../../../visitor/pages.ts";
import { pageKeyOf } from "../../../visitor/slug.ts";
import { redirectTo } from "../../../visitor/visit-answer.ts";
import { linkAddresses } from "../links/link-address.ts";
import { listBlocks } from "./page-blocks.service.ts";
import { documentOf } from "./page-content.ts";
import { HANDLE_PREFIX } from "./page-handle.ts";
import { findPreviewed, type Previewed } from "./page-preview.repository.ts";
import { readPreview } from "./page-preview.ts";
import { renderForVisitors } from "./page-render.ts";
import { getPage } from "./pages.service.ts";

const PATH = /^\/(?:@|%40)[^/]+\/preview\/([\w-]+)(?:\/(.*))?$/;

/** Whether a path is that of a preview or lies below one, whatever its token is. */
export function isPreviewPath(path: string): boolean {
  return path.includes("/preview/") && PATH.test(path);
}

/**
 * A page's draft as it is now, for who has the address that the API signed: in no search engine,
 * kept by nobody, and counted as nothing. Never throws.
 */
export async function servePreview(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  url: Address,
): Promise<Response> {
  try {
    const [, token = "", rest = ""] = PATH.exec(url.pathname) ?? [];
    const preview = await readPreview(env, token, now());
    const found = preview && (await findPreviewed(env, preview.pageId));
    if (!preview || !found || !isAtItsAddress(env, url, found)) {
      return pageResponse(request, { kind: "not_found" });
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return pageResponse(request, { kind: "method_not_allowed", allow: "GET, HEAD" });
    }
    if (found.isGone) return pageResponse(request, { kind: "gone" });
    // To draw a page costs the processor much, and anybody may have the address.
    const { success } = await env.MISS_RATE_LIMIT.limit({ key: `preview ${preview.pageId}` });
    if (!success) return pageResponse(request, { kind: "too_many_tries", waitSeconds: 60 });
    const origin = platformOrigin(env, new URL(request.url));
    const work = { ...backgroundWork(env, ctx, createLog()), platformOrigin: origin };
    const draft = await drawDraft(inWorkspace(work, found.workspaceId), preview.pageId, token);
    if (rest === "") return answerPage(request, env, draft.drawn, { isOnce: true, isHidden: true });
    return answerBelow(request, env, draft, rest) ?? pageResponse(request, { kind: "not_found" });
  } catch (error) {
    // Deleted meanwhile.
    if (error instanceof ApiError) return pageResponse(request, { kind: "not_found" });
    return pageResponse(request, { kind: "unavailable" }, error);
  }
}

/** A token opens nothing at another's host or handle, where it would pass for theirs. */
function isAtItsAddress(env: Env, url: Address, page: Previewed): boolean {
  if (pageKeyOf(url.pathname) !== HANDLE_PREFIX + page.handleKey) return false;
  return page.isOnPlatform ? isPlatformHost(env, url) : hostNameOf(url) === page.host;
}

interface Draft {
  drawn: PublishedPage;
  utm: Utm;
}

/** Links and files of the draft lie below its preview, as those of the page below the page. */
async function drawDraft(
  ctx: ReturnType<typeof inWorkspace>,
  id: string,
  token: string,
): Promise<Draft> {
  const page = await getPage(ctx, id);
  const document = documentOf(page, await listBlocks(ctx, page));
  const path = `/${HANDLE_PREFIX}${page.handle}/preview/${token}`;
  const addresses = await linkAddresses(ctx, [page]);
  return {
    drawn: await renderForVisitors(ctx, page, document, addresses, { preview: path }),
    utm: page.utm,
  };
}

/** Where a click on the draft leads, and what is saved of it; undefined: nothing is there. */
function answerBelow(
  request: Request,
  env: Env,
  { drawn, utm }: Draft,
  rest: string,
): Response | undefined {
  const below = readBelow(rest);
  if (below?.kind === "download") return serveDownload(request, env, drawn, below.name);
  const leadsTo = below && destinationOf(drawn, below.block, below.item);
  if (!leadsTo || !isShown(request, env, drawn.parts, below.block)) return undefined;
  const isLink = Object.hasOwn(drawn.links, below.block);
  const location = isLink ? leadsTo : finalUrl(leadsTo, utm, "");
  return redirectTo({ status: 302, location, cacheControl: "no-store" });
}
