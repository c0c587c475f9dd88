import { invalid } from "../../../api/errors.ts";
import { jsonBytes, toBytes } from "../../../platform/bytes.ts";
import { contactFields } from "./contacts.presenter.ts";
import type { ContactRow } from "./contacts.repository.ts";
import { MAX_CONTACT_BYTES } from "./contacts.schemas.ts";

/**
 * Judges a contact as it is about to be written. One that was stored before there was a limit may
 * be larger, and not grow. @throws 422
 */
export function assertFits(before: ContactRow | undefined, after: ContactRow): void {
  const bytes = bytesOf(after);
  if (bytes <= MAX_CONTACT_BYTES || (before && bytes <= bytesOf(before))) return;
  // All else together is smaller than that, so it is these that can be shortened.
  const sizes = Object.entries(after.custom).map(([name, value]) => ({
    name,
    bytes: jsonBytes(value),
  }));
  const longest = sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  throw invalid(
    "custom",
    `A contact may have at most ${MAX_CONTACT_BYTES} bytes, as JSON in UTF-8 and without its times; this would be ${bytes}. The longest of its custom fields is \`${longest.name}\`, of ${longest.bytes} bytes.`,
  );
}

/** Without times, which others than the caller set too. */
function bytesOf(contact: ContactRow): number {
  const { id: _, last_active_at: __, last_inbound_at: ___, ...counted } = contactFields(contact);
  return jsonBytes(counted);
}

/** Whether a contact counts for more as stored: by its table's `bytes`, and its tags. */
export function isGrowing(before: ContactRow, after: ContactRow): boolean {
  const isSame = before.custom === after.custom;
  const custom = isSame ? 0 : jsonBytes(after.custom) - jsonBytes(before.custom);
  return custom + countedBytes(after) > countedBytes(before);
}

function countedBytes({ externalId, name, email, phone, tags }: ContactRow): number {
  return toBytes([externalId, externalId, name, email, phone].join("")).length + 230 * tags.length;
}
