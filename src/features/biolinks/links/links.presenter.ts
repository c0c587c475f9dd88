import type { Context } from "../../../platform/context/context.ts";
import { toTimestamp } from "../../../platform/time.ts";
import type { RedirectStatus } from "../../../visitor/visitor-link.ts";
import { linkOrigin } from "./link-changes.ts";
import type { LinkRow } from "./links.repository.ts";
import type { Link } from "./links.schemas.ts";

/** A link as the API answers it. */
export function presentLink(link: LinkRow, origin: string): Link {
  return {
    id: link.id,
    revision: link.revision,
    slug: link.slug,
    domain: link.domainId,
    public_url: `${origin}/${link.slug}`,
    title: link.title,
    destination: link.destination,
    status: link.status,
    disabled: link.disabled,
    has_password: link.passwordHash !== null,
    settings: {
      utm: link.utm,
      forward_query: link.forwardQuery,
      http_status: link.httpStatus as RedirectStatus,
      sensitive_content: link.sensitiveContent,
      pixels: link.pixels,
    },
    created_at: toTimestamp(link.createdAt),
    updated_at: toTimestamp(link.updatedAt),
  };
}

/** Presents links, reading each domain's host once. */
export async function linkPresenter(
  ctx: Context,
  links: LinkRow[],
): Promise<(link: LinkRow) => Link> {
  const origins = new Map<string | null, string>();
  for (const { domainId } of links) {
    if (!origins.has(domainId)) origins.set(domainId, await linkOrigin(ctx, domainId));
  }
  return (link) => presentLink(link, origins.get(link.domainId) ?? ctx.platformOrigin);
}
