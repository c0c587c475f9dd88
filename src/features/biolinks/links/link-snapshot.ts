/** What events tell of a link. */
import type { EventRow } from "../../../events/events.ports.ts";
import { newEvent } from "../../../events/events.service.ts";
import { jsonBytes } from "../../../platform/bytes.ts";
import type { LinkAddresses } from "./link-address.ts";
import { type LinkEventData, linkEvents, MAX_TOLD_DESTINATION_BYTES } from "./links.events.ts";
import { presentLink } from "./links.presenter.ts";
import type { LinkRow } from "./links.repository.ts";

const channel = "all";

/** The event of a link that is new. */
export function creationEvent(link: LinkRow, addresses: LinkAddresses): EventRow {
  return newEvent(link, linkEvents.created, { channel, data: eventData(link, addresses) });
}

/** The event of a link that is changed. */
export function updateEvent(before: LinkRow, after: LinkRow, addresses: LinkAddresses): EventRow {
  const data = { ...eventData(after, addresses), changed: changedFields(before, after, addresses) };
  return newEvent(after, linkEvents.updated, { channel, data });
}

/** The event of a link that is deleted. */
export function deletionEvent(link: LinkRow, addresses: LinkAddresses): EventRow {
  const { id, slug, domain, public_url } = presentLink(link, addresses);
  return newEvent(link, linkEvents.deleted, { channel, data: { id, slug, domain, public_url } });
}

function eventData(link: LinkRow, addresses: LinkAddresses): LinkEventData {
  const { revision: _, destination, ...told } = presentLink(link, addresses);
  const isLong = jsonBytes(destination) > MAX_TOLD_DESTINATION_BYTES;
  return { ...told, destination: isLong ? null : destination };
}

/** The names of the fields in which two states of a link differ, and `settings.password`. */
function changedFields(before: LinkRow, after: LinkRow, addresses: LinkAddresses): string[] {
  const [was, is] = [before, after].map((link) => flatFields(link, addresses));
  const names = Object.keys(is ?? {}).filter(
    (name) => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]),
  );
  return before.passwordHash === after.passwordHash ? names : [...names, "settings.password"];
}

function flatFields(link: LinkRow, addresses: LinkAddresses): Record<string, unknown> {
  const { revision: _, updated_at: __, settings, ...fields } = presentLink(link, addresses);
  const named = Object.entries(settings).map(([name, value]) => [`settings.${name}`, value]);
  return { ...fields, ...Object.fromEntries(named) };
}
