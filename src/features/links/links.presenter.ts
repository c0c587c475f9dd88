import { toTimestamp } from "../../lib/clock.ts";
import type { LinkScope } from "./link-changes.ts";
import { linkOrigin } from "./link-changes.ts";
import type { LinkRow } from "./links.repository.ts";
import type { HttpStatus, Link } from "./links.schemas.ts";

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
      http_status: link.httpStatus as HttpStatus,
      sensitive_content: link.sensitiveContent,
      pixels: link.pixels,
    },
    created_at: toTimestamp(link.createdAt),
    updated_at: toTimestamp(link.updatedAt),
  };
}

/** Presents links, reading each domain's host once. */
export async function linkPresenter(
  scope: LinkScope,
  links: LinkRow[],
): Promise<(link: LinkRow) => Link> {
  const origins = new Map<string | null, string>();
  for (const { domainId } of links) {
    if (!origins.has(domainId)) origins.set(domainId, await linkOrigin(scope, domainId));
  }
  return (link) => presentLink(link, origins.get(link.domainId) ?? scope.platformOrigin);
}
