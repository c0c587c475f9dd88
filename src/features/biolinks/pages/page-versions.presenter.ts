import { toTimestamp } from "../../../platform/time.ts";
import { presentVersionBlock } from "./page-blocks.presenter.ts";
import type { VersionSummary as SummaryRow, VersionRow } from "./page-versions.repository.ts";
import type { Version, VersionSummary } from "./page-versions.schemas.ts";
import type { PageRow } from "./pages.repository.ts";

/** A version of a page, without what it holds, as the API answers it. */
export function presentSummary(page: PageRow, version: SummaryRow): VersionSummary {
  return {
    version: version.number,
    is_published: page.publishedVersion === version.number,
    bytes: version.bytes,
    created_at: toTimestamp(version.createdAt),
  };
}

/** A version of a page with all that it holds. */
export function presentVersion(page: PageRow, version: VersionRow): Version {
  const { title, language, time_zone, profile, theme, seo, settings, blocks } = version.document;
  return {
    ...presentSummary(page, version),
    title,
    language,
    time_zone,
    profile,
    theme: theme as Version["theme"],
    seo,
    settings,
    blocks: blocks.map(presentVersionBlock),
  };
}
