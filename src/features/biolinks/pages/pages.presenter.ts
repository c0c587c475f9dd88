import type { Context } from "../../../platform/context/context.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { type LinkAddresses, linkAddresses } from "../links/link-address.ts";
import { HANDLE_PREFIX } from "./page-handle.ts";
import type { PageRow } from "./pages.repository.ts";
import type { Page } from "./pages.schemas.ts";

export function publicUrl(
  page: Pick<PageRow, "domainId" | "handle">,
  addresses: LinkAddresses,
): string {
  return `${addresses.originOf(page)}/${HANDLE_PREFIX}${page.handle}`;
}

/** A page as the API answers it. */
export function presentPage(page: PageRow, addresses: LinkAddresses): Page {
  return {
    id: page.id,
    revision: addresses.revisionOf(page),
    handle: page.handle,
    domain: page.domainId,
    public_url: publicUrl(page, addresses),
    status: page.status,
    disabled: page.disabled,
    title: page.title,
    language: page.language,
    time_zone: page.timeZone,
    profile: page.profile,
    theme: page.theme as Page["theme"],
    seo: page.seo,
    settings: {
      has_password: page.passwordHash !== null,
      sensitive_content: page.sensitiveContent,
      pixels: addresses.pixelsOf(page),
      utm: page.utm,
      domain_root: page.domainRoot,
    },
    block_order: page.blockOrder,
    has_unpublished_changes: page.publishedContent !== page.contentRevision,
    published_version: page.publishedVersion,
    published_at: page.publishedAt === null ? null : toTimestamp(page.publishedAt),
    created_at: toTimestamp(page.createdAt),
    updated_at: toTimestamp(page.updatedAt),
  };
}

/** Presents pages, their domains and pixels read once for all of them. */
export async function pagePresenter(
  ctx: Context,
  pages: PageRow[],
): Promise<(page: PageRow) => Page> {
  const addresses = await linkAddresses(ctx, pages);
  return (page) => presentPage(page, addresses);
}
