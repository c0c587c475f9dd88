import { toTimestamp } from "../../../platform/time.ts";
import { toldCustom } from "./contact-snapshot.ts";
import type { ContactEventData } from "./contacts.events.ts";
import type { ContactRow } from "./contacts.repository.ts";
import type { Contact } from "./contacts.schemas.ts";
import { windowExpiresAt } from "./messaging-window.ts";

/** What callers can set of a contact, and its id: what changes are told of, and sizes measured. */
export function contactFields(row: ContactRow) {
  return {
    id: row.id,
    external_id: row.externalId,
    name: row.name,
    email: row.email,
    phone: row.phone,
    channel: row.channel,
    stage: row.stageId,
    tags: row.tags,
    country: row.country,
    language: row.language,
    custom: row.custom,
    status: row.status,
    last_active_at: toOptionalTimestamp(row.lastActiveAt),
    last_inbound_at: toOptionalTimestamp(row.lastInboundAt),
  };
}

/** A contact as the events of a change tell of it. */
export function eventData(row: ContactRow, changed: string[]): ContactEventData {
  return {
    ...contactFields(row),
    ...toldCustom(row.custom),
    changed,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

/** A contact as the API answers it. */
export function presentContact(row: ContactRow): Contact {
  return {
    ...contactFields(row),
    revision: row.revision,
    window_expires_at: toOptionalTimestamp(windowExpiresAt(row.lastInboundAt)),
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

function toOptionalTimestamp(time: number | null): string | null {
  return time === null ? null : toTimestamp(time);
}
