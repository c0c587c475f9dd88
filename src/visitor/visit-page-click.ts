import { type Env, platformSettings } from "../platform/config.ts";
import { isPlatformHost, platformOrigin } from "../platform/platform-host.ts";
import { addressOf } from "../platform/request-address.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import { destinationOf, ownValue, productOf } from "./bio-pages/below-page.ts";
import { isShown } from "./bio-pages/page-audience.ts";
import type { VisitorBioPage } from "./bio-pages/published-page.ts";
import { countHit, type LedBy } from "./clicks/count-hit.ts";
import { utmOf } from "./clicks/visit-properties.ts";
import { finalUrl, isWeb } from "./decide/final-url.ts";
import { findLinkPlace } from "./link-places.ts";
import { type CameFrom, redirectTo } from "./visit-answer.ts";

interface Clicked {
  page: VisitorBioPage;
  block: string;
  /** As it stands in the path; empty: the block's only destination. */
  item: string;
}

/** Where a click on a block leads, counted for it; undefined when it leads nowhere, or nobody sees it. */
export async function followBlock(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  { page, block, item }: Clicked,
  { host, search, as }: CameFrom,
): Promise<Response | undefined> {
  const { published, workspaceId } = page;
  const leadsTo = destinationOf(published, block, item);
  if (leadsTo === undefined || !isShown(request, env, published.parts, block)) return undefined;
  const link = ownValue(published.links, block);
  const location = link
    ? await linkUrl(directory, request, env, workspaceId, link)
    : finalUrl(leadsTo, page.utm, "");
  if (location === undefined || !isWeb(new URL(location))) return undefined;
  const clicked = {
    workspaceId,
    subject: "block",
    id: block,
    count: "clicks",
    domain: host,
  } as const;
  countHit(request, env, ctx, clicked, as, led(request, search), productOf(published, block, item));
  // A password that was posted goes to no destination.
  const status = request.method === "POST" ? 303 : 302;
  return redirectTo({ status, location, cacheControl: "no-store" });
}

/**
 * A click came from its page, so what counts is what led there: browsers tell a host the whole address
 * of a page of its own. Its referrer they do not tell, and the page is none.
 */
function led(request: Request, search: string): string | LedBy {
  const from = URL.parse(request.headers.get("Referer") ?? "");
  const { host, pathname } = new URL(request.url);
  if (from?.host !== host) return search;
  // A page stands at its handle and, on a domain of its own, at the root as well.
  const isPage = ["/", asShown(pathname.slice(0, pathname.indexOf("/go/")))].includes(
    asShown(from.pathname),
  );
  return { referrer: "", utm: utmOf(search) || (isPage ? utmOf(from.search) : "") };
}

function asShown(path: string): string {
  return path
    .replace(/^\/%40/, "/@")
    .replace(/(.)\/$/, "$1")
    .toLowerCase();
}

/** A short link's address now: its own rules apply there, and it counts its own click. */
async function linkUrl(
  directory: AddressDirectory,
  request: Request,
  env: Env,
  workspaceId: string,
  link: string,
): Promise<string | undefined> {
  const address = await findLinkPlace(directory, env, workspaceId, link);
  if (address === null) return undefined;
  platformSettings.assert(env, "PLATFORM_HOST");
  const isHere = isPlatformHost(env, addressOf(request.url));
  const origin = isHere ? platformOrigin(env, new URL(request.url)) : platformOrigin(env);
  return new URL(address, origin).href;
}
