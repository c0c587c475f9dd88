export const MAX_BLOCKS = 100;
/** Different ones on a page: each is looked for among 2,000 products whenever the page is drawn. */
export const MAX_COLLECTIONS = 10;
/** Of a page's document, as JSON in UTF-8. */
export const MAX_DOCUMENT_BYTES = 256 * 1024;
/** Of a page's versions the newest. */
export const KEPT_VERSIONS = 50;
/** As long as statistics and submissions can tell of a block: months of 31 days. */
export const TOMBSTONE_MONTHS = 25;
