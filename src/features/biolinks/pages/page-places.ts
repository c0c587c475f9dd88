/**
 * What a page's rendering says of the page itself: whose it is, where it stands, what a visit needs of it.
 * A trigger writes the same when the page changes: see the migration `page-places-data`.
 */

const COLUMNS = ["workspace_id", "address", "root_address", "document"];

/** The names of the columns, each behind a prefix. */
export function placeColumns(prefix = ""): string {
  return COLUMNS.map((column) => `${prefix}${column}`).join(", ");
}

/** SQL of what they say, of a row of `pages`. */
export const PAGE_PLACES = `pages.workspace_id,
  CASE WHEN pages.published_version IS NOT NULL
    THEN coalesce(pages.domain_id, '') || '/@' || pages.handle_key END,
  CASE WHEN pages.published_version IS NOT NULL AND pages.domain_root = 1 THEN pages.domain_id || '/' END,
  json_object('status', pages.status, 'disabled', pages.disabled,
    'hasPassword', pages.password_hash IS NOT NULL,
    'sensitiveContent', pages.published_settings ->> 'sensitive_content',
    'utm', pages.published_settings -> 'utm', 'pixels', pages.published_settings -> 'pixels')`;
