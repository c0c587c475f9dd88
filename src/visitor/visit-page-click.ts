import { type Env, platformSettings } from "../platform/config.ts";
import { isPlatformHost, platformOrigin } from "../platform/platform-host.ts";
import { addressOf } from "../platform/request-address.ts";
import type { AddressDirectory } from "./addresses/address.ts";
import { destinationOf, ownValue, productOf } from "./bio-pages/below-page.ts";
import { isShown } from "./bio-pages/page-audience.ts";
import type { VisitorBioPage } from "./bio-pages/published-page.ts";
import { countHit } from "./clicks/count-hit.ts";
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
  countHit(request, env, ctx, clicked, as, search, productOf(published, block, item));
  // A password that was posted goes to no destination.
  const status = request.method === "POST" ? 303 : 302;
  return redirectTo({ status, location, cacheControl: "no-store" });
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
