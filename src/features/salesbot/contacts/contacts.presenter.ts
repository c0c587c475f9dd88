import { toTimestamp } from "../../../platform/time.ts";
import type { ContactEventData } from "./contacts.events.ts";
import type { ContactRow } from "./contacts.repository.ts";
import type { Contact } from "./contacts.schemas.ts";
import { windowExpiresAt } from "./messaging-window.ts";

/** A contact as its events tell of it. */
export function eventData(row: ContactRow): ContactEventData {
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
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

/** A contact as the API answers it. */
export function presentContact(row: ContactRow): Contact {
  return {
    ...eventData(row),
    revision: row.revision,
    window_expires_at: toOptionalTimestamp(windowExpiresAt(row.lastInboundAt)),
  };
}

function toOptionalTimestamp(time: number | null): string | null {
  return time === null ? null : toTimestamp(time);
}
