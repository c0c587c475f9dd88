import { ApiError } from "../../../api/errors.ts";
import type { Context } from "../../../platform/context/context.ts";
import { now } from "../../../platform/time.ts";
import { linkAddresses } from "../links/link-address.ts";
import { findPreviewed } from "./page-preview.repository.ts";
import { PREVIEW_MILLISECONDS, signPreview } from "./page-preview.ts";
import { publicUrl } from "./pages.presenter.ts";
import type { PageRow } from "./pages.repository.ts";

const OUT_OF_SERVICE =
  "The page's domain is out of service, so a preview would open nowhere: put the domain back into service, or give the page another.";

/**
 * A signed address that shows a page's draft where the page stands, and until when, in milliseconds.
 * Nowhere else: its handle may be another's there. @throws 409 while its domain is out of service
 */
export async function previewAddress(
  ctx: Context,
  page: PageRow,
): Promise<{ url: string; expiresAt: number }> {
  const isOnPlatform = page.domainId === null;
  if (!isOnPlatform && !(await findPreviewed(ctx.env, page.id))?.host) {
    throw new ApiError("conflict", { message: OUT_OF_SERVICE });
  }
  const expiresAt = Math.floor((now() + PREVIEW_MILLISECONDS) / 1000) * 1000;
  const token = await signPreview(ctx.env, { pageId: page.id, expiresAt });
  const place = publicUrl(page, await linkAddresses(ctx, [page]));
  return { url: `${place}/preview/${token}`, expiresAt };
}
