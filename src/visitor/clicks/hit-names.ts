// Packets and ledgers hold places in these lists: a name is added at the end, with a new version of the packet.
export const HIT_SUBJECTS = ["link", "page", "block", "qr_code", "product"] as const;
export const HIT_COUNTS = ["views", "clicks", "scans", "submissions"] as const;
export const HIT_TRAFFIC = ["human", "crawler", "head", "prefetch"] as const;
export const HIT_PROPERTIES = [
  "domain",
  "country",
  "region",
  "device",
  "browser",
  "os",
  "language",
  "referrer",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "trigger",
] as const;

/**
 * How a hit came about, by what it is of: what visitors opened. Code of before 2026-11-24 does
 * not tell it. Where a code or a block leads to a short link, that has a hit of its own besides.
 */
export const HIT_TRIGGERS: Record<(typeof HIT_SUBJECTS)[number], string> = {
  link: "link",
  page: "page",
  block: "page",
  qr_code: "qr",
  product: "page",
};

/** Quarter hours since the epoch, as hits are counted. */
export const SLOT_MILLISECONDS = 15 * 60 * 1000;
