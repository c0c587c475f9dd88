import type { Context } from "../../../platform/context/context.ts";
import { toTimestamp } from "../../../platform/time.ts";
import type { RedirectStatus } from "../../../visitor/decide/visitor-link.ts";
import { type LinkAddresses, linkAddresses } from "./link-address.ts";
import type { LinkRow } from "./links.repository.ts";
import type { Link } from "./links.schemas.ts";

/** A link as the API answers it. */
export function presentLink(link: LinkRow, addresses: LinkAddresses): Link {
  return {
    id: link.id,
    revision: addresses.revisionOf(link),
    slug: link.slug,
    domain: link.domainId,
    public_url: `${addresses.originOf(link)}/${link.slug}`,
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
      pixels: addresses.pixelsOf(link),
    },
    created_at: toTimestamp(link.createdAt),
    updated_at: toTimestamp(link.updatedAt),
  };
}

/** Presents links, their domains and pixels read once for all of them. */
export async function linkPresenter(
  ctx: Context,
  links: LinkRow[],
): Promise<(link: LinkRow) => Link> {
  const addresses = await linkAddresses(ctx, links);
  return (link) => presentLink(link, addresses);
}
