/** What events tell of a page. */
import type { EventRow } from "../../../events/events.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import { toTimestamp } from "../../../platform/time.ts";
import type { LinkAddresses } from "../links/link-address.ts";
import { pageEvents, type UnpublishedPageData } from "./pages.events.ts";
import { publicUrl } from "./pages.presenter.ts";
import type { PageRow } from "./pages.repository.ts";

const channel = "all";

/** The event of what a change does to visitors, if it puts the page on line or takes it off. */
export function changeEvent(
  before: PageRow,
  after: PageRow,
  addresses: LinkAddresses,
): EventRow | undefined {
  if (after.status === "published" && !isSameOnLine(before, after)) {
    return publicationEvent(after, addresses);
  }
  if (before.status !== "published" || after.status === "published") return undefined;
  return withdrawalEvent(before, addresses, after.status === "paused" ? "paused" : "unpublished");
}

function isSameOnLine(before: PageRow, after: PageRow): boolean {
  return before.status === "published" && before.publishedVersion === after.publishedVersion;
}

function publicationEvent(page: PageRow, addresses: LinkAddresses): EventRow {
  const published_at = toTimestamp(page.publishedAt ?? page.updatedAt);
  const data = { ...eventData(page, addresses), published_at };
  return newEvent(page, pageEvents.published, { channel, data });
}

/** The event of a page that visitors get no more. */
export function withdrawalEvent(
  page: PageRow,
  addresses: LinkAddresses,
  reason: UnpublishedPageData["reason"],
): EventRow {
  const data = { ...eventData(page, addresses), reason };
  return newEvent(page, pageEvents.unpublished, { channel, data });
}

function eventData(page: PageRow, addresses: LinkAddresses) {
  const { id, handle, domainId, title, publishedVersion, lastVersion } = page;
  const version = publishedVersion ?? lastVersion;
  return { id, handle, domain: domainId, public_url: publicUrl(page, addresses), title, version };
}
