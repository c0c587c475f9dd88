import type { Context } from "../../../platform/context/context.ts";
import type { PublishedPage } from "../../../visitor/bio-pages/published-page.ts";
import { linkAddresses } from "../links/link-address.ts";
import { renderForVisitors } from "./page-render.ts";
import { findVersion } from "./page-versions.repository.ts";
import { getPage } from "./pages.service.ts";
import type { PageSurroundings } from "./view/page-document.ts";

/**
 * A page that is on line, with a form on it that shows again what was sent, and why it was not taken;
 * undefined when it is on line no more. @throws 404 when it is gone
 */
export async function drawFormAgain(
  ctx: Context,
  pageId: string,
  form: NonNullable<PageSurroundings["form"]>,
): Promise<PublishedPage | undefined> {
  const page = await getPage(ctx, pageId);
  if (page.publishedVersion === null) return undefined;
  const version = await findVersion(ctx.db, page.workspaceId, page.id, page.publishedVersion);
  if (!version) return undefined;
  const addresses = await linkAddresses(ctx, [page]);
  return renderForVisitors(ctx, page, version.document, addresses, { form });
}
