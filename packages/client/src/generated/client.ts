// Made by `npm run client` from the API description: change that, not this.
import { Core, path } from "../core.ts";
import type { List, Page } from "../list.ts";
import type {
  ChangeOptions,
  ClientOptions,
  KeyedOptions,
  Made,
  MatchOptions,
  RequestOptions,
  Upload,
  UploadOptions,
} from "../options.ts";
import type * as T from "./types.ts";
export type WebhooksEndpointsDeliveriesListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only deliveries with this status. */
  status?: "pending" | "delivered" | "failed";
  /** Only deliveries of this kind of event. */
  event?: string;
  /** Only tests, or all but tests. */
  test?: boolean;
  /** Of one event: its delivery, and its resends. The `id` of the body that was sent. */
  event_id?: string;
  /** Made at this time, or later. */
  since?: string;
  /** Made before this time. */
  until?: string;
};

export type PagesBlocksListQuery = {
  /** How many blocks to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type PagesBlocksReplaceAnswer = {
  data: T.PageBlock[];
  /** Null on the last page. */
  next_cursor: string | null;
};

export type PagesVersionsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type CatalogueProductsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only the one with this id of yours. */
  external_id?: string;
  /** Only products with this availability. */
  availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
  /** Only products of this brand, letter by letter. */
  brand?: string;
  /** Only products of this type, letter by letter. */
  product_type?: string;
  /** Only products with this label, letter by letter. */
  label?: string;
  /** Only products with this status. */
  status?: "active" | "hidden";
};

export type CatalogueCollectionsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type CatalogueImportsCreateQuery = {
  /** `replace`: when all rows are written and none failed, the products that were there before the import and that the file does not name are deleted. */
  mode?: "upsert" | "replace";
  /** Nothing is written: the job tells what it would do. */
  dry_run?: boolean;
};

export type CatalogueFeedGetQuery = {
  /** What kind of file. */
  format?: "csv" | "rss";
};

export type SegmentsContactsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type WebhooksEventsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type WebhooksEndpointsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type AutomationHooksListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type LinksListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only links with this status. */
  status?: "active" | "paused";
  /** Only links on this custom domain: its id. */
  domain?: string;
  /** Part of the slug, the title or the destination. The case of A to Z does not matter. */
  search?: string;
};

export type LinksGetAnswer = T.Link & {
  /** Visits by people so far: no crawlers, no prefetches, no HEAD. Does not change the `ETag`. */
  clicks: number;
};

export type DomainsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type PagesListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only pages with this status. */
  status?: "draft" | "published" | "paused";
  /** Only pages on this custom domain: its id. */
  domain?: string;
  /** Part of the handle or the title. The case of A to Z does not matter. */
  search?: string;
};

export type PixelsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type PixelsDeleteQuery = {
  /** True: also while links or pages use it; it is taken from them. */
  force?: boolean;
};

export type QrCodesListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type QrCodesImageQuery = {
  /** What kind of picture. */
  format?: "svg" | "png";
  /** Its width and height, in pixels. */
  size?: number;
};

export type FilesListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type SubmissionsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only submissions with this status. */
  status?: "accepted" | "held" | "spam";
  /** Only those of this page's forms: its id. */
  page?: string;
  /** Of one form. */
  block?: string;
  /** Only those that this contact was made by, or was added to: its id. */
  contact?: string;
  /** With this address in an email field, or as all that was typed into a text field (sent since 2026-11-27), whatever the case. */
  email?: string;
  /** Only those that are read, or not. */
  is_read?: boolean;
  /** Only those that are starred, or not. */
  is_starred?: boolean;
  /** Sent at this time, or later. */
  since?: string;
  /** Sent before this time. */
  until?: string;
};

export type SubmissionsExportQuery = {
  /** Only submissions with this status. */
  status?: "accepted" | "held" | "spam";
  /** Only those of this page's forms: its id. */
  page?: string;
  /** Of one form. */
  block?: string;
  /** Only those that this contact was made by, or was added to: its id. */
  contact?: string;
  /** With this address in an email field, or as all that was typed into a text field (sent since 2026-11-27), whatever the case. */
  email?: string;
  /** Only those that are read, or not. */
  is_read?: boolean;
  /** Only those that are starred, or not. */
  is_starred?: boolean;
  /** Sent at this time, or later. */
  since?: string;
  /** Sent before this time. */
  until?: string;
  /** What kind of file. */
  format?: "csv" | "ndjson";
};

export type SubmissionsBulkDeleteAnswer = {
  /** Those that were there: the others are not this workspace's, or gone already. */
  deleted: string[];
};

export type SubmissionsEraseAnswer = {
  /** How many submissions. */
  erased: number;
  /** False where they are too many for one request: send it again. */
  finished: boolean;
};

export type AnalyticsListPage = {
  meta: {
    time_zone: string;
    /** When it begins, with the time zone's offset at that time. */
    from: string;
    /** When it begins, with the time zone's offset at that time. */
    to: string;
    /** For each number that is asked for: hits of which a value that the question names was not kept, as too many different ones came at once (`(other)`). A filter for values leaves them out, one with a minus takes them in, and `group_by` shows them as `(other)`: so the true number is off by so many at most. Zero: the answer is exact. */
    unattributed: {
      views?: number;
      visitors?: number;
      clicks?: number;
      scans?: number;
      submissions?: number;
    };
    /** What happened before is counted, but for what is late. */
    fresh_until: string;
    previous?: {
      /** When it begins, with the time zone's offset at that time. */
      from: string;
      /** When it begins, with the time zone's offset at that time. */
      to: string;
      /** For each number that is asked for: hits of which a value that the question names was not kept, as too many different ones came at once (`(other)`). A filter for values leaves them out, one with a minus takes them in, and `group_by` shows them as `(other)`: so the true number is off by so many at most. Zero: the answer is exact. */
      unattributed: {
        views?: number;
        visitors?: number;
        clicks?: number;
        scans?: number;
        submissions?: number;
      };
    };
  };
};

export type AnalyticsListQuery = {
  /** Of views, visitors, clicks, scans, submissions, ctr, with commas between; rows are sorted by the first. `visitors`: people, once a UTC day and each link, page, block, code or product that they came to; of several, the sum. `ctr`: clicks on blocks for each view of a page, null without views; with one dimension at most, and none of `link`, `page`, `block`, `qr_code`, `product` and referrer. */
  metrics?: string;
  /** At most two of link, page, block, qr_code, product, domain, country, region, device, browser, os, language, referrer, utm_source, utm_medium, utm_campaign, trigger, with a comma between: a row for each of their values. Of `link`, `page`, `block`, `qr_code`, `product` only one, and then only its own hits are counted. `domain` is a custom domain's host, null the platform's. `trigger` is how it came about: `link`, a short link's address was opened; `qr`, a QR code was scanned; `page`, a page was opened, or something on it clicked or sent in. Where a scan or a click of a block leads on to a short link, both are counted: that, and then the link's click as `link`. */
  group_by?: string;
  /** A row for each hour, day, week (from Monday) or month of the time zone, those without hits included. The first and the last row have only what of them is in the range; an hour ends where clocks are set. */
  interval?: "hour" | "day" | "week" | "month";
  /** The begin: a day of the time zone, or a time (RFC 3339), which is rounded down to a quarter of an hour. At most 25 months back. */
  from?: string;
  /** The end: a day, which is still in it, or a time, which is not, and is rounded up to a quarter of an hour. Default: now. */
  to?: string;
  /** Instead of `from` and `to`: up to now, the present hour, day or month being one of those that are named. `mtd` and `ytd`: since the month or the year began. Default: 30d. */
  period?: "24h" | "7d" | "30d" | "90d" | "12mo" | "mtd" | "ytd";
  /** The IANA time zone that hours, days, weeks and months are those of. */
  time_zone?: string;
  /** Whose hits: people's, crawlers', or all, HEAD requests and prefetches among them. `visitors` are always people. */
  traffic?: "human" | "crawler" | "all";
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  link?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  page?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  block?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  qr_code?: string;
  /** Ids: only clicks that led to one of them. With a minus before each, and with `group_by=product` only: all but those. Who asks for products may name no other of what hits are of. */
  product?: string;
  /** Hosts of custom domains, `(none)` for the platform's. With a minus before each: all but those. */
  domain?: string;
  /** `DE,FR`: only these; `-US`: all but that, those not known (`(none)`) included. */
  country?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  region?: string;
  /** `desktop`, `mobile`, `tablet`, `tv`, with commas between, or with a minus before each: all but those. `(none)`: where it is not known. */
  device?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  browser?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  os?: string;
  /** Languages without their country: `de`; `de-DE` is taken as `de`. With commas between, or with a minus before each: all but those. `(none)`: where it is not known. */
  language?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. None is known of clicks on a page's blocks, and of visitors who came through a form for a password or a consent. */
  referrer?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  utm_source?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  utm_medium?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  utm_campaign?: string;
  /** `link`, `page`, `qr`, with commas between, or with a minus before each: all but those. `(none)`: counted by a version of Signpost that did not tell it yet. `trigger` is how it came about: `link`, a short link's address was opened; `qr`, a QR code was scanned; `page`, a page was opened, or something on it clicked or sent in. Where a scan or a click of a block leads on to a short link, both are counted: that, and then the link's click as `link`. */
  trigger?: string;
  /** Each row also tells of the range before, as long in the time zone's calendar: with a period, the same part of the period before; else what ends at `from`. Each row with the same stretch of time in it, so that all rows together tell of all of it. */
  compare?: "previous";
  /** How many rows to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before, with the same parameters; blank: the first page. */
  cursor?: string;
};

export type AnalyticsRealtimeAnswer = {
  last_5_minutes: T.RealtimeCounts;
  last_30_minutes: T.RealtimeCounts;
  /** Each of the last 30 minutes, the present one last. */
  minutes: (T.RealtimeCounts & {
    start: string;
  })[];
};

export type AnalyticsRealtimeQuery = {
  /** Whose hits: people's, crawlers', or all, HEAD requests and prefetches among them. `visitors` are always people. */
  traffic?: "human" | "crawler" | "all";
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  link?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  page?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  block?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  qr_code?: string;
  /** Ids: only clicks that led to one of them. With a minus before each, and with `group_by=product` only: all but those. Who asks for products may name no other of what hits are of. */
  product?: string;
};

export type AnalyticsExportQuery = {
  /** Of views, visitors, clicks, scans, submissions, ctr, with commas between; rows are sorted by the first. `visitors`: people, once a UTC day and each link, page, block, code or product that they came to; of several, the sum. `ctr`: clicks on blocks for each view of a page, null without views; with one dimension at most, and none of `link`, `page`, `block`, `qr_code`, `product` and referrer. */
  metrics?: string;
  /** At most two of link, page, block, qr_code, product, domain, country, region, device, browser, os, language, referrer, utm_source, utm_medium, utm_campaign, trigger, with a comma between: a row for each of their values. Of `link`, `page`, `block`, `qr_code`, `product` only one, and then only its own hits are counted. `domain` is a custom domain's host, null the platform's. `trigger` is how it came about: `link`, a short link's address was opened; `qr`, a QR code was scanned; `page`, a page was opened, or something on it clicked or sent in. Where a scan or a click of a block leads on to a short link, both are counted: that, and then the link's click as `link`. */
  group_by?: string;
  /** A row for each hour, day, week (from Monday) or month of the time zone, those without hits included. The first and the last row have only what of them is in the range; an hour ends where clocks are set. */
  interval?: "hour" | "day" | "week" | "month";
  /** The begin: a day of the time zone, or a time (RFC 3339), which is rounded down to a quarter of an hour. At most 25 months back. */
  from?: string;
  /** The end: a day, which is still in it, or a time, which is not, and is rounded up to a quarter of an hour. Default: now. */
  to?: string;
  /** Instead of `from` and `to`: up to now, the present hour, day or month being one of those that are named. `mtd` and `ytd`: since the month or the year began. Default: 30d. */
  period?: "24h" | "7d" | "30d" | "90d" | "12mo" | "mtd" | "ytd";
  /** The IANA time zone that hours, days, weeks and months are those of. */
  time_zone?: string;
  /** Whose hits: people's, crawlers', or all, HEAD requests and prefetches among them. `visitors` are always people. */
  traffic?: "human" | "crawler" | "all";
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  link?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  page?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  block?: string;
  /** Ids: only their own hits. With a minus before each: all hits but theirs, also of other kinds. */
  qr_code?: string;
  /** Ids: only clicks that led to one of them. With a minus before each, and with `group_by=product` only: all but those. Who asks for products may name no other of what hits are of. */
  product?: string;
  /** Hosts of custom domains, `(none)` for the platform's. With a minus before each: all but those. */
  domain?: string;
  /** `DE,FR`: only these; `-US`: all but that, those not known (`(none)`) included. */
  country?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  region?: string;
  /** `desktop`, `mobile`, `tablet`, `tv`, with commas between, or with a minus before each: all but those. `(none)`: where it is not known. */
  device?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  browser?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  os?: string;
  /** Languages without their country: `de`; `de-DE` is taken as `de`. With commas between, or with a minus before each: all but those. `(none)`: where it is not known. */
  language?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. None is known of clicks on a page's blocks, and of visitors who came through a form for a password or a consent. */
  referrer?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  utm_source?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  utm_medium?: string;
  /** Up to 50 values of up to 253 characters. Only hits with one of these values, with commas between; or all but those, with a minus before each. `(none)`: where it is not known. A backslash before a comma or minus that is part of a value. Capital letters matter in utm values only. */
  utm_campaign?: string;
  /** `link`, `page`, `qr`, with commas between, or with a minus before each: all but those. `(none)`: counted by a version of Signpost that did not tell it yet. `trigger` is how it came about: `link`, a short link's address was opened; `qr`, a QR code was scanned; `page`, a page was opened, or something on it clicked or sent in. Where a scan or a click of a block leads on to a short link, both are counted: that, and then the link's click as `link`. */
  trigger?: string;
  /** Each row also tells of the range before, as long in the time zone's calendar: with a period, the same part of the period before; else what ends at `from`. Each row with the same stretch of time in it, so that all rows together tell of all of it. */
  compare?: "previous";
  /** What kind of file. */
  format?: "csv" | "ndjson";
};

export type ContactsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only the one with this id of yours. */
  external_id?: string;
  /** Whatever the case of A to Z. */
  email?: string;
  /** Only those whose channel it is. */
  channel?: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** Only those in this stage: its id. */
  stage?: string;
  /** Only those with this tag: its id. */
  tag?: string;
  /** Only those with this status. */
  status?: "active" | "opted_out" | "blocked";
};

export type TagsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type StagesListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type SegmentsPreviewAnswer = {
  /** How many; at most 10,000. */
  contacts_count: number;
  /** There are at least so many: the count stopped there, or had looked at enough contacts. */
  more: boolean;
  /** The first of them: at most 25, and fewer where they are rare among many. */
  contacts: T.Contact[];
  conditions: T.SegmentConditions;
  /** Rules that were not kept: where they were, from 0, and why. */
  dropped_rules: {
    group: number | null;
    /** Null: the whole group. */
    rule: number | null;
    reason:
      | "invalid_rule"
      | "unknown_field"
      | "unknown_operator"
      | "operator_does_not_fit"
      | "invalid_value"
      | "invalid_group"
      | "too_many";
  }[];
};

export type SegmentsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export class CatalogueFeedAddress {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Give the feed a public address.
   *
   * For Google's and Meta's crawlers, which fetch a feed without a key: an address that cannot be guessed, in both formats, without hidden products. It replaces the one before, which leads nowhere from then on. A copy of up to 15 minutes ago is served, at most 60 times a minute.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  create(options?: KeyedOptions): Promise<T.FeedAddress> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/catalogue/feed/address`,
      { answer: "data", keyed: true },
      options,
    );
  }

  /**
   * Read the feed's public address.
   *
   * 404 while there is none.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  get(options?: RequestOptions): Promise<T.FeedAddress> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/feed/address`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Take the feed's public address back.
   *
   * It leads nowhere from now on; who fetched the feed keeps what it got.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  delete(options?: RequestOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/catalogue/feed/address`,
      { answer: "nothing" },
      options,
    );
  }
}

export class WebhooksEndpointsDeliveries {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List an endpoint's deliveries.
   *
   * `since` and `until` compare with `created_at`: a range holds its beginning and not its end, so one begins where another ends. With `status`, `event` or `test`, or where there are events that you may not see: where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `webhooks:deliveries:read`.
   */
  list(
    endpointId: string,
    query?: WebhooksEndpointsDeliveriesListQuery,
    options?: RequestOptions,
  ): List<T.Delivery> {
    return this.#core.list(
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}/deliveries`,
      query,
      100,
      options,
    );
  }
}

export class WebhooksEndpointsRecoveries {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Read the progress of a recovery.
   *
   * Ask again until `status` is `finished`.
   *
   * Permission: `webhooks:deliveries:read`.
   */
  get(endpointId: string, recoveryId: string, options?: RequestOptions): Promise<T.Recovery> {
    return this.#core.request(
      "GET",
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}/recoveries/${recoveryId}`,
      { answer: "data" },
      options,
    );
  }
}

export class PagesBlocks {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Add a block.
   *
   * At the end of the page. `If-Match` takes the page's `ETag`, and may be left out.
   *
   * Permission: `biolinks:pages:write`.
   */
  create(
    pageId: string,
    body:
      | T.CreateLinkBlock
      | T.CreateHeadingBlock
      | T.CreateTextBlock
      | T.CreateDividerBlock
      | T.CreateImageBlock
      | T.CreateGalleryBlock
      | T.CreateEmbedBlock
      | T.CreateSocialBlock
      | T.CreateMessagingBlock
      | T.CreateFormBlock
      | T.CreateContactCardBlock
      | T.CreateEventBlock
      | T.CreateCountdownBlock
      | T.CreateFaqBlock
      | T.CreateTestimonialsBlock
      | T.CreateProductsBlock
      | T.CreateLocationBlock
      | T.CreateFileBlock
      | T.CreatePostsBlock,
    options?: KeyedOptions & MatchOptions,
  ): Promise<T.PageBlock> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages/${pageId}/blocks`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List a page's blocks.
   *
   * Of the draft. All are on one page unless `limit` is less.
   *
   * Permission: `biolinks:pages:read`.
   */
  list(pageId: string, query?: PagesBlocksListQuery, options?: RequestOptions): List<T.PageBlock> {
    return this.#core.list(path`/api/v1/biolinks/pages/${pageId}/blocks`, query, 100, options);
  }

  /**
   * Replace all blocks.
   *
   * A block that is named by its id keeps it; those that are not sent go. `If-Match` takes the page's `ETag`, and may be left out.
   *
   * Permission: `biolinks:pages:write`.
   */
  replace(
    pageId: string,
    body: T.PutBlocks,
    options?: MatchOptions,
  ): Promise<PagesBlocksReplaceAnswer> {
    return this.#core.request(
      "PUT",
      path`/api/v1/biolinks/pages/${pageId}/blocks`,
      { answer: "body", body },
      options,
    );
  }

  /**
   * Read a block.
   *
   * Of the draft.
   *
   * Permission: `biolinks:pages:read`.
   */
  get(pageId: string, blockId: string, options?: RequestOptions): Promise<T.PageBlock> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/pages/${pageId}/blocks/${blockId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a block.
   *
   * `If-Match` takes the block's `ETag`, not the page's.
   *
   * Permission: `biolinks:pages:write`.
   */
  update(
    pageId: string,
    blockId: string,
    body: T.UpdateBlock,
    options: ChangeOptions,
  ): Promise<T.PageBlock>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    pageId: string,
    blockId: string,
    change: (record: T.PageBlock) => Made<T.UpdateBlock>,
    options?: RequestOptions,
  ): Promise<T.PageBlock>;
  update(
    pageId: string,
    blockId: string,
    body: object,
    options?: RequestOptions,
  ): Promise<T.PageBlock> {
    return this.#core.update(
      path`/api/v1/biolinks/pages/${pageId}/blocks/${blockId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a block.
   *
   * `If-Match` takes the block's `ETag`. Of a block that was ever published the name stays, for submissions and statistics, for 25 months.
   *
   * Permission: `biolinks:pages:write`.
   */
  delete(pageId: string, blockId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/pages/${pageId}/blocks/${blockId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }
}

export class PagesVersions {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List a page's versions.
   *
   * Each is what a publication put on line. The last 50 are kept.
   *
   * Permission: `biolinks:pages:read`.
   */
  list(
    pageId: string,
    query?: PagesVersionsListQuery,
    options?: RequestOptions,
  ): List<T.PageVersionSummary> {
    return this.#core.list(path`/api/v1/biolinks/pages/${pageId}/versions`, query, 100, options);
  }

  /**
   * Read a version.
   *
   * The page and its blocks as they were when it was published.
   *
   * Permission: `biolinks:pages:read`.
   */
  get(pageId: string, version: string, options?: RequestOptions): Promise<T.PageVersion> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/pages/${pageId}/versions/${version}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Restore a version into the draft.
   *
   * The draft becomes what the version was, its blocks with their ids; visitors see it when it is published. Pixels that are gone are left out; links and files that are gone stay named, and are not drawn. `If-Match` takes the page's `ETag`, and may be left out.
   *
   * Permission: `biolinks:pages:write`.
   */
  restore(pageId: string, version: string, options?: KeyedOptions & MatchOptions): Promise<T.Page> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages/${pageId}/versions/${version}/restore`,
      { answer: "data", keyed: true },
      options,
    );
  }
}

export class CatalogueProducts {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a product.
   *
   * Amounts are in minor units of their currency, as ISO 4217 has them. A sale price is less than the price and of its currency. How many products a workspace may have is its plan's.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  create(body: T.CreateProduct, options?: KeyedOptions): Promise<T.Product> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/catalogue/products`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List products.
   *
   * With several filters: those that have all of it; where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  list(query?: CatalogueProductsListQuery, options?: RequestOptions): List<T.Product> {
    return this.#core.list(path`/api/v1/biolinks/catalogue/products`, query, 100, options);
  }

  /**
   * Read a product.
   *
   * As it is stored. Pages show its sale price in its time.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  get(productId: string, options?: RequestOptions): Promise<T.Product> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/products/${productId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a product.
   *
   * Pages that show it are drawn anew.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  update(productId: string, body: T.UpdateProduct, options: ChangeOptions): Promise<T.Product>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    productId: string,
    change: (record: T.Product) => Made<T.UpdateProduct>,
    options?: RequestOptions,
  ): Promise<T.Product>;
  update(productId: string, body: object, options?: RequestOptions): Promise<T.Product> {
    return this.#core.update(
      path`/api/v1/biolinks/catalogue/products/${productId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a product.
   *
   * Collections and pages show it no more.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  delete(productId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/catalogue/products/${productId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }
}

export class CatalogueCollections {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a collection.
   *
   * It lists products in an order, or has a rule: then it shows those that have what the rule says, whenever they came. A workspace may have 200.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  create(body: T.CreateCollection, options?: KeyedOptions): Promise<T.Collection> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/catalogue/collections`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List collections.
   *
   * Without their products: those are in the collection itself.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  list(query?: CatalogueCollectionsListQuery, options?: RequestOptions): List<T.CollectionSummary> {
    return this.#core.list(path`/api/v1/biolinks/catalogue/collections`, query, 100, options);
  }

  /**
   * Read a collection.
   *
   * With the ids of its products, or its rule.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  get(collectionId: string, options?: RequestOptions): Promise<T.Collection> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/collections/${collectionId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a collection.
   *
   * Pages that show it are drawn anew.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  update(
    collectionId: string,
    body: T.UpdateCollection,
    options: ChangeOptions,
  ): Promise<T.Collection>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    collectionId: string,
    change: (record: T.Collection) => Made<T.UpdateCollection>,
    options?: RequestOptions,
  ): Promise<T.Collection>;
  update(collectionId: string, body: object, options?: RequestOptions): Promise<T.Collection> {
    return this.#core.update(
      path`/api/v1/biolinks/catalogue/collections/${collectionId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a collection.
   *
   * Its products stay. Blocks that show it are empty from then on.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  delete(collectionId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/catalogue/collections/${collectionId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }
}

export class CatalogueImports {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Import products.
   *
   * A feed of at most 10 MiB and 10,000 rows in UTF-8: CSV (its values separated by commas or semicolons) or tab separated values, which the first row tells. That row names the columns as Google's and Meta's product feeds do, in any order and case: `id` (the product's `external_id`), `title`, `description`, `link`, `image_link`, `additional_image_link`, `price` ("12.50 USD"), `sale_price`, `sale_price_effective_date`, `availability` ("in stock" or "in_stock"), `condition`, `brand`, `gtin`, `mpn`, `item_group_id`, `google_product_category`, `product_type`, `custom_label_0` to `custom_label_4`, `status`. Only `id` must be there, and the title of a new product: fields without a column stay as they are, and an empty value takes a field away.
   *
   * The answer is a job: read its progress. A row with something wrong fails alone, and `errors` say what. One import of a workspace runs at a time; its last 20 are kept, without their files. Each product that changed has its event, `biolinks.product.updated` or `.deleted`.
   *
   * Permission: `biolinks:catalogue:write`.
   */
  create(
    file: Upload,
    query?: CatalogueImportsCreateQuery,
    options?: UploadOptions,
  ): Promise<T.ProductImport> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/catalogue/imports`,
      { answer: "data", query, keyed: true, file },
      options,
    );
  }

  /**
   * Read an import of products.
   *
   * Ask again until `status` is `done` or `failed`. The last 20 of a workspace are kept.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  get(importId: string, options?: RequestOptions): Promise<T.ProductImport> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/imports/${importId}`,
      { answer: "data" },
      options,
    );
  }
}

export class CatalogueFeed {
  readonly #core: Core;
  readonly address: CatalogueFeedAddress;

  constructor(core: Core) {
    this.#core = core;
    this.address = new CatalogueFeedAddress(core);
  }

  /**
   * Export all products.
   *
   * `csv`: all products, hidden ones with their `status`, in the columns that an import reads: imported again it changes nothing. A text that a spreadsheet would run as a formula has an apostrophe before it, which an import takes away. `rss`: RSS 2.0 with Google's names, which Meta and others read too, without hidden products; each text is as it is.
   *
   * Permission: `biolinks:catalogue:read`.
   */
  get(query?: CatalogueFeedGetQuery, options?: RequestOptions): Promise<Blob> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/feed`,
      { answer: "blob", query },
      options,
    );
  }
}

export class CataloguePixelProviders {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List whom pixels can tell of visits.
   *
   * `google_ads`, `linkedin` and `pinterest` are told by an image that the visitor's browser loads from them, `meta` by that and, with an access token, by its Conversions API, `ga4` by its Measurement Protocol alone. No script of a provider's ever runs.
   *
   * Permission: `biolinks:pixels:read`.
   */
  list(options?: RequestOptions): Promise<T.PixelProviderDescription[]> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/pixel-providers`,
      { answer: "data" },
      options,
    );
  }
}

export class SegmentsFields {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List what rules may ask of contacts.
   *
   * Negative operators also match contacts without a value. Letters A to Z, languages and countries compare in any case. The value of a rule on a custom field says its type: `true` asks for neither 1 nor a text. A date is its whole day in UTC, a month 30 days.
   *
   * Permission: `salesbot:contacts:read`.
   */
  list(options?: RequestOptions): Promise<T.SegmentField[]> {
    return this.#core.request("GET", path`/api/v1/segments/fields`, { answer: "data" }, options);
  }
}

export class SegmentsContacts {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List the contacts of a segment.
   *
   * Those that are in it now: where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `salesbot:contacts:read`.
   */
  list(
    segmentId: string,
    query?: SegmentsContactsListQuery,
    options?: RequestOptions,
  ): List<T.Contact> {
    return this.#core.list(path`/api/v1/segments/${segmentId}/contacts`, query, 100, options);
  }
}

export class WebhooksEvents {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List the events that can be subscribed to.
   *
   * Those of the workspace's features, whatever the key may subscribe to: `subscribable` says that.
   *
   * Permission: `webhooks:read`.
   */
  list(query?: WebhooksEventsListQuery, options?: RequestOptions): List<T.EventDescription> {
    return this.#core.list(path`/api/v1/workspace-webhooks/events`, query, 100, options);
  }
}

export class WebhooksEndpoints {
  readonly #core: Core;
  readonly deliveries: WebhooksEndpointsDeliveries;
  readonly recoveries: WebhooksEndpointsRecoveries;

  constructor(core: Core) {
    this.#core = core;
    this.deliveries = new WebhooksEndpointsDeliveries(core);
    this.recoveries = new WebhooksEndpointsRecoveries(core);
  }

  /**
   * List webhook endpoints.
   *
   * Those with a product that the key cannot subscribe to are left out. A workspace has at most 25.
   *
   * Permission: `webhooks:read`.
   */
  list(query?: WebhooksEndpointsListQuery, options?: RequestOptions): List<T.EndpointWithMetrics> {
    return this.#core.list(path`/api/v1/workspace-webhooks/endpoints`, query, 100, options);
  }

  /**
   * Create a webhook endpoint.
   *
   * It is made paused: switch it on with `PATCH {"enabled": true}`. Its signing secret is shown in this answer only; a lost answer is had again with the same key and body within 24 hours.
   *
   * Permission: `webhooks:write`.
   */
  create(
    body: T.CreateEndpoint,
    options?: KeyedOptions,
  ): Promise<
    T.Endpoint & {
      /** The signing secret, shown this once. */
      secret: string;
    }
  > {
    return this.#core.request(
      "POST",
      path`/api/v1/workspace-webhooks/endpoints`,
      { answer: "merged", keyed: true, body },
      options,
    );
  }

  /**
   * Read a webhook endpoint.
   *
   * With how its attempts went in the last day. The signing secret is not answered: see `rotate-secret`.
   *
   * Permission: `webhooks:read`.
   */
  get(endpointId: string, options?: RequestOptions): Promise<T.EndpointWithMetrics> {
    return this.#core.request(
      "GET",
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a webhook endpoint, pause it or switch it on.
   *
   * `enabled` pauses it, or switches it on. Events that happen while it is paused are not sent to it later.
   *
   * Permission: `webhooks:write`.
   */
  update(endpointId: string, body: T.UpdateEndpoint, options: ChangeOptions): Promise<T.Endpoint>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    endpointId: string,
    change: (record: T.EndpointWithMetrics) => Made<T.UpdateEndpoint>,
    options?: RequestOptions,
  ): Promise<T.Endpoint | T.EndpointWithMetrics>;
  update(
    endpointId: string,
    body: object,
    options?: RequestOptions,
  ): Promise<T.Endpoint | T.EndpointWithMetrics> {
    return this.#core.update(
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a webhook endpoint.
   *
   * Nothing more is sent to it.
   *
   * Permission: `webhooks:write`.
   */
  delete(endpointId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }

  /**
   * Give a webhook endpoint a new signing secret.
   *
   * An endpoint that was paused as `secret_unreadable` is switched on again; its old secret, which is lost, then signs nothing beside the new one.
   *
   * Permission: `webhooks:write`.
   */
  rotateSecret(
    endpointId: string,
    body: T.RotateSecret = {},
    options?: KeyedOptions & MatchOptions,
  ): Promise<
    T.Endpoint & {
      /** The signing secret, shown this once. */
      secret: string;
    }
  > {
    return this.#core.request(
      "POST",
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}/rotate-secret`,
      { answer: "merged", keyed: true, matched: true, body },
      options,
    );
  }

  /**
   * Send a test delivery.
   *
   * A sample of an event that the endpoint is subscribed to, with `test` true.
   *
   * Permission: `webhooks:deliveries:retry`.
   */
  test(
    endpointId: string,
    body: T.TestEndpoint,
    options?: KeyedOptions & MatchOptions,
  ): Promise<T.Delivery> {
    return this.#core.request(
      "POST",
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}/test`,
      { answer: "data", keyed: true, matched: true, body },
      options,
    );
  }

  /**
   * Send again all that failed since a time.
   *
   * A job: read its progress. Left out are tests, events that reached the endpoint by a later delivery or that it is no longer subscribed to, and those whose payload is purged. It ends when the endpoint is paused: what it has not sent by then is left to another. With `dry_run` nothing is made, and the answer is how many it would send if it began now; what is checked first is the same. It needs an `Idempotency-Key` of its own, as any POST.
   *
   * Permission: `webhooks:deliveries:retry`.
   */
  recover(
    endpointId: string,
    body: T.RecoverEndpoint,
    options?: KeyedOptions & MatchOptions,
  ): Promise<T.RecoveryPreview | T.Recovery> {
    return this.#core.request(
      "POST",
      path`/api/v1/workspace-webhooks/endpoints/${endpointId}/recover`,
      { answer: "data", keyed: true, matched: true, body },
      options,
    );
  }
}

export class WebhooksDeliveries {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Read a delivery with its attempts.
   *
   * What was sent, and for each attempt what was answered and how long it took.
   *
   * Permission: `webhooks:deliveries:read`.
   */
  get(deliveryId: string, options?: RequestOptions): Promise<T.DeliveryDetail> {
    return this.#core.request(
      "GET",
      path`/api/v1/workspace-webhooks/deliveries/${deliveryId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Send a delivery again.
   *
   * As a new delivery with an id of its own, while the payload is stored.
   *
   * Permission: `webhooks:deliveries:retry`.
   */
  resend(deliveryId: string, options?: KeyedOptions): Promise<T.Delivery> {
    return this.#core.request(
      "POST",
      path`/api/v1/workspace-webhooks/deliveries/${deliveryId}/resend`,
      { answer: "data", keyed: true },
      options,
    );
  }
}

export class AutomationHooks {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List hooks.
   *
   * Those of this key, and those of before 2026-11-22, which belong to no key.
   *
   * Permission: `salesbot:automation:hooks`.
   */
  list(query?: AutomationHooksListQuery, options?: RequestOptions): List<T.AutomationHook> {
    return this.#core.list(path`/automation/hooks`, query, 100, options);
  }

  /**
   * Remove a hook.
   *
   * One of this key's; another key's stays.
   *
   * Permission: `salesbot:automation:hooks`.
   */
  delete(hookId: string, options?: RequestOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/automation/hooks/${hookId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class AutomationSample {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * See what a hook gets.
   *
   * A bare list of one, as automation platforms poll it.
   *
   * Permission: `salesbot:automation:hooks`.
   */
  get(event: string, options?: RequestOptions): Promise<T.HookPayload[]> {
    return this.#core.request(
      "GET",
      path`/automation/sample/${event}`,
      { answer: "body" },
      options,
    );
  }
}

export class Links {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a short link.
   *
   * The link is made paused: switch it on with `PATCH {"status": "active"}`.
   *
   * Permission: `biolinks:links:write`.
   */
  create(body: T.CreateLink, options?: KeyedOptions): Promise<T.Link> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/links`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List short links.
   *
   * With `status` or `search`: where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `biolinks:links:read`.
   */
  list(query?: LinksListQuery, options?: RequestOptions): List<T.Link> {
    return this.#core.list(path`/api/v1/biolinks/links`, query, 100, options);
  }

  /**
   * Read a short link.
   *
   * With its clicks so far.
   *
   * Permission: `biolinks:links:read`.
   */
  get(linkId: string, options?: RequestOptions): Promise<LinksGetAnswer> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/links/${linkId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a short link.
   *
   * Visitors see the change within 10 seconds everywhere. A link that the operator has switched off (`disabled`) keeps its slug and domain: 409.
   *
   * Permission: `biolinks:links:write`.
   */
  update(linkId: string, body: T.UpdateLink, options: ChangeOptions): Promise<T.Link>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    linkId: string,
    change: (record: LinksGetAnswer) => Made<T.UpdateLink>,
    options?: RequestOptions,
  ): Promise<T.Link | LinksGetAnswer>;
  update(linkId: string, body: object, options?: RequestOptions): Promise<T.Link | LinksGetAnswer> {
    return this.#core.update(
      path`/api/v1/biolinks/links/${linkId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a short link.
   *
   * Visitors get 404 within 10 seconds everywhere. A link that the operator has switched off (`disabled`) stays: 409.
   *
   * Permission: `biolinks:links:write`.
   */
  delete(linkId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/links/${linkId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }
}

export class Domains {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Connect a domain.
   *
   * It is pending: create its `dns_records`, then verify it. Others may claim the host too; the first to verify has it.
   *
   * Permission: `biolinks:domains:manage`.
   */
  create(body: T.CreateDomain, options?: KeyedOptions): Promise<T.Domain> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/domains`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List domains.
   *
   * Those that are pending or failed too.
   *
   * Permission: `biolinks:domains:read`.
   */
  list(query?: DomainsListQuery, options?: RequestOptions): List<T.Domain> {
    return this.#core.list(path`/api/v1/biolinks/domains`, query, 100, options);
  }

  /**
   * Read a domain.
   *
   * With the DNS records that it needs, and what the last check found wrong.
   *
   * Permission: `biolinks:domains:read`.
   */
  get(domainId: string, options?: RequestOptions): Promise<T.Domain> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/domains/${domainId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a domain.
   *
   * Visitors see the change within 10 seconds everywhere.
   *
   * Permission: `biolinks:domains:manage`.
   */
  update(domainId: string, body: T.UpdateDomain, options: ChangeOptions): Promise<T.Domain>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    domainId: string,
    change: (record: T.Domain) => Made<T.UpdateDomain>,
    options?: RequestOptions,
  ): Promise<T.Domain>;
  update(domainId: string, body: object, options?: RequestOptions): Promise<T.Domain> {
    return this.#core.update(
      path`/api/v1/biolinks/domains/${domainId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Disconnect a domain.
   *
   * Its links stay, without an address, and never pass to whoever has the name next.
   *
   * Permission: `biolinks:domains:manage`.
   */
  delete(domainId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/domains/${domainId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }

  /**
   * Look a domain's DNS up now.
   *
   * Answers 200 whatever is found: `status` is `active` if all is right, else `problems` says what to do.
   *
   * Permission: `biolinks:domains:manage`.
   */
  verify(domainId: string, options?: KeyedOptions): Promise<T.Domain> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/domains/${domainId}/verify`,
      { answer: "data", keyed: true },
      options,
    );
  }
}

export class Pages {
  readonly #core: Core;
  readonly blocks: PagesBlocks;
  readonly versions: PagesVersions;

  constructor(core: Core) {
    this.#core = core;
    this.blocks = new PagesBlocks(core);
    this.versions = new PagesVersions(core);
  }

  /**
   * Create a page.
   *
   * The page is a draft: nobody sees it before `POST …/publish`. A workspace may have 5, 50 or 500 pages by its plan, a page 100 blocks and 256 KiB.
   *
   * Permission: `biolinks:pages:write`.
   */
  create(body: T.CreatePage, options?: KeyedOptions): Promise<T.Page> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List pages.
   *
   * With a filter: where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `biolinks:pages:read`.
   */
  list(query?: PagesListQuery, options?: RequestOptions): List<T.Page> {
    return this.#core.list(path`/api/v1/biolinks/pages`, query, 100, options);
  }

  /**
   * Read a page.
   *
   * The draft. Its blocks are read apart.
   *
   * Permission: `biolinks:pages:read`.
   */
  get(pageId: string, options?: RequestOptions): Promise<T.Page> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/pages/${pageId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a page.
   *
   * Changes the draft. Handle, domain, status, the password and `domain_root` hold at once, all else when the page is published. What holds at once needs `biolinks:pages:publish` too: `status` always, the others where the page is no draft. A page that the operator has switched off (`disabled`) keeps its handle, domain and `domain_root`: 409.
   *
   * Permission: `biolinks:pages:write`.
   */
  update(pageId: string, body: T.UpdatePage, options: ChangeOptions): Promise<T.Page>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    pageId: string,
    change: (record: T.Page) => Made<T.UpdatePage>,
    options?: RequestOptions,
  ): Promise<T.Page>;
  update(pageId: string, body: object, options?: RequestOptions): Promise<T.Page> {
    return this.#core.update(
      path`/api/v1/biolinks/pages/${pageId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a page.
   *
   * With its blocks and versions. Its handle is free at once. A page that is no draft needs `biolinks:pages:publish` too. One that the operator has switched off (`disabled`) stays: 409.
   *
   * Permission: `biolinks:pages:write`.
   */
  delete(pageId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/pages/${pageId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }

  /**
   * Duplicate a page.
   *
   * Copies the draft, with blocks of its own and the password, but neither versions nor `domain_root`. The body may be `{}`.
   *
   * Permission: `biolinks:pages:write`.
   */
  duplicate(pageId: string, body: T.DuplicatePage = {}, options?: KeyedOptions): Promise<T.Page> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages/${pageId}/duplicate`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Order a page's blocks.
   *
   * `order` names each block of the page once; else 422 says what is missing, unknown or doubled. `If-Match` takes the page's `ETag`, and may be left out.
   *
   * Permission: `biolinks:pages:write`.
   */
  blockOrder(pageId: string, body: T.PutBlockOrder, options?: MatchOptions): Promise<T.Page> {
    return this.#core.request(
      "PUT",
      path`/api/v1/biolinks/pages/${pageId}/block-order`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Publish a page.
   *
   * Makes a version of the draft, which visitors get everywhere within 10 seconds. The last 50 versions are kept. What is on line as it is stays so: no version, no event.
   *
   * Permission: `biolinks:pages:publish`.
   */
  publish(pageId: string, options?: KeyedOptions & MatchOptions): Promise<T.Page> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages/${pageId}/publish`,
      { answer: "data", keyed: true, matched: true },
      options,
    );
  }

  /**
   * Take a page off line.
   *
   * The page is a draft again, and keeps its versions. `If-Match` may be left out. A page that the operator has switched off (`disabled`) stays: 409.
   *
   * Permission: `biolinks:pages:publish`.
   */
  unpublish(pageId: string, options?: KeyedOptions & MatchOptions): Promise<T.Page> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages/${pageId}/unpublish`,
      { answer: "data", keyed: true },
      options,
    );
  }

  /**
   * Share a preview of the draft.
   *
   * A signed address that shows the draft, as it is when it is opened, to whoever has it, for an hour. Search engines may not list it. 409 while the page's domain is out of service.
   *
   * Permission: `biolinks:pages:read`.
   */
  preview(pageId: string, options?: KeyedOptions): Promise<T.PagePreview> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pages/${pageId}/preview`,
      { answer: "data", keyed: true },
      options,
    );
  }
}

export class Catalogue {
  readonly #core: Core;
  readonly products: CatalogueProducts;
  readonly collections: CatalogueCollections;
  readonly imports: CatalogueImports;
  readonly feed: CatalogueFeed;
  readonly pixelProviders: CataloguePixelProviders;

  constructor(core: Core) {
    this.#core = core;
    this.products = new CatalogueProducts(core);
    this.collections = new CatalogueCollections(core);
    this.imports = new CatalogueImports(core);
    this.feed = new CatalogueFeed(core);
    this.pixelProviders = new CataloguePixelProviders(core);
  }

  /**
   * List what blocks there are.
   *
   * Each type with the JSON Schema of its settings and a sample, and what limits a page has.
   *
   * Permission: `biolinks:pages:read`.
   */
  blockTypes(options?: RequestOptions): Promise<T.PageBlockTypes> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/block-types`,
      { answer: "body" },
      options,
    );
  }

  /**
   * List what themes start from.
   *
   * Every preset, and the JSON Schema of a theme.
   *
   * Permission: `biolinks:pages:read`.
   */
  themes(options?: RequestOptions): Promise<T.PageThemes> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/catalogue/themes`,
      { answer: "body" },
      options,
    );
  }
}

export class Pixels {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a pixel.
   *
   * Links name it in `settings.pixels`. A pixel of `ga4` has no beacon: it does nothing until it has an `access_token`. A workspace may have 100 pixels.
   *
   * Permission: `biolinks:pixels:write`.
   */
  create(body: T.CreatePixel, options?: KeyedOptions): Promise<T.Pixel> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/pixels`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List pixels.
   *
   * Access tokens are never answered: `has_access_token` says whether there is one.
   *
   * Permission: `biolinks:pixels:read`.
   */
  list(query?: PixelsListQuery, options?: RequestOptions): List<T.Pixel> {
    return this.#core.list(path`/api/v1/biolinks/pixels`, query, 100, options);
  }

  /**
   * Read a pixel.
   *
   * The access token is never answered: `has_access_token` says whether there is one.
   *
   * Permission: `biolinks:pixels:read`.
   */
  get(pixelId: string, options?: RequestOptions): Promise<T.Pixel> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/pixels/${pixelId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a pixel.
   *
   * Visitors of all links that use it meet the change within 10 seconds everywhere. The provider stays: for another one, create another pixel. The access token stays when the tag changes.
   *
   * Permission: `biolinks:pixels:write`.
   */
  update(pixelId: string, body: T.UpdatePixel, options: ChangeOptions): Promise<T.Pixel>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    pixelId: string,
    change: (record: T.Pixel) => Made<T.UpdatePixel>,
    options?: RequestOptions,
  ): Promise<T.Pixel>;
  update(pixelId: string, body: object, options?: RequestOptions): Promise<T.Pixel> {
    return this.#core.update(
      path`/api/v1/biolinks/pixels/${pixelId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a pixel.
   *
   * 409 while a link or a page uses it: the message says how many do, and names the first. With `force=true` it fires nowhere and is gone from every answer at once; its links and pages are changed after the answer, many within minutes, and each gets a new revision.
   *
   * Permission: `biolinks:pixels:write`.
   */
  delete(pixelId: string, query?: PixelsDeleteQuery, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/pixels/${pixelId}`,
      { answer: "nothing", query, matched: true },
      options,
    );
  }
}

export class QrCodes {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * See what a QR code would look like.
   *
   * Nothing is stored.
   *
   * Permission: `biolinks:qr:read`.
   */
  preview(body: T.PreviewQrCode, options?: KeyedOptions): Promise<T.QrCodePreview> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/qr-codes/preview`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Create a QR code.
   *
   * A code for a link, a page or a URL holds an address of ours, `HTTPS://HOST/Q/XXXXXXXX`, and stays right whatever its target, the link's slug or the page's handle is changed to. Its host is that of the link or page when the code is made (for a URL the platform's), and stays so: it is printed. It works for as long as that host is a verified domain of the workspace; one that is deleted and added again has its codes back.
   *
   * Permission: `biolinks:qr:write`.
   */
  create(body: T.CreateQrCode, options?: KeyedOptions): Promise<T.QrCode> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/qr-codes`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List QR codes.
   *
   * Static ones too.
   *
   * Permission: `biolinks:qr:read`.
   */
  list(query?: QrCodesListQuery, options?: RequestOptions): List<T.QrCode> {
    return this.#core.list(path`/api/v1/biolinks/qr-codes`, query, 100, options);
  }

  /**
   * Read a QR code.
   *
   * With what it holds, and the address of its picture.
   *
   * Permission: `biolinks:qr:read`.
   */
  get(qrCodeId: string, options?: RequestOptions): Promise<T.QrCode> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/qr-codes/${qrCodeId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a QR code.
   *
   * Visitors see the change within 10 seconds everywhere. What is printed goes on working.
   *
   * Permission: `biolinks:qr:write`.
   */
  update(qrCodeId: string, body: T.UpdateQrCode, options: ChangeOptions): Promise<T.QrCode>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    qrCodeId: string,
    change: (record: T.QrCode) => Made<T.UpdateQrCode>,
    options?: RequestOptions,
  ): Promise<T.QrCode>;
  update(qrCodeId: string, body: object, options?: RequestOptions): Promise<T.QrCode> {
    return this.#core.update(
      path`/api/v1/biolinks/qr-codes/${qrCodeId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a QR code.
   *
   * What is printed of a dynamic code leads nowhere from then on.
   *
   * Permission: `biolinks:qr:write`.
   */
  delete(qrCodeId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/qr-codes/${qrCodeId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }

  /**
   * Draw a QR code.
   *
   * A PNG's modules are whole pixels: what is left over widens the margin. A module has 3 pixels at least, so a dense code needs more than 128: 422 says how many. A logo whose file the operator took out of service is left out: the code is read all the same.
   *
   * Permission: `biolinks:qr:read`.
   */
  image(qrCodeId: string, query?: QrCodesImageQuery, options?: RequestOptions): Promise<Blob> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/qr-codes/${qrCodeId}/image`,
      { answer: "blob", query },
      options,
    );
  }
}

export class Files {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Upload a file.
   *
   * A JPEG, PNG, WebP, GIF, AVIF (not animated) or PDF of at most 10 MiB and 8,000 pixels a side: as the body, or as the one field `file` of a form. What it is, its bytes say; its name and the declared type mean nothing. An image loses what it tells besides its pixels (EXIF, GPS, XMP, IPTC, comments) and what follows its end; its pixels stay byte for byte, its colour profile too, and the orientation of a JPEG, PNG or AVIF (browsers differ over that of a WebP: it goes). A PDF stays as it is, its title and author included. With an `Idempotency-Key` the body must be the same again, byte for byte: send the file raw, as programs mark the fields of a form differently each time.
   *
   * Permission: `biolinks:files:write`.
   */
  create(file: Upload, options?: UploadOptions): Promise<T.File> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/files`,
      { answer: "data", keyed: true, file },
      options,
    );
  }

  /**
   * List files.
   *
   * What is known of them; their bytes are at their `url`.
   *
   * Permission: `biolinks:files:read`.
   */
  list(query?: FilesListQuery, options?: RequestOptions): List<T.File> {
    return this.#core.list(path`/api/v1/biolinks/files`, query, 100, options);
  }

  /**
   * Read a file.
   *
   * What is known of it; its bytes are at its `url`.
   *
   * Permission: `biolinks:files:read`.
   */
  get(fileId: string, options?: RequestOptions): Promise<T.File> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/files/${fileId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Delete a file.
   *
   * 409 while something uses it: the message says what. A page uses the files of its draft and of what visitors get, not those of its older versions. Its address answers 404 within a minute, unless another workspace has the same content; browsers keep what they have.
   *
   * Permission: `biolinks:files:write`.
   */
  delete(fileId: string, options?: RequestOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/files/${fileId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class Submissions {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List submissions.
   *
   * `since` and `until` compare with `created_at`: a range holds its beginning and not its end. With more than one filter, or `is_read=true` or `is_starred=false`: where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `biolinks:submissions:read`.
   */
  list(query?: SubmissionsListQuery, options?: RequestOptions): List<T.Submission> {
    return this.#core.list(path`/api/v1/biolinks/submissions`, query, 100, options);
  }

  /**
   * Export submissions as a file.
   *
   * Newest first, all that the filters leave when it is asked for, at most 50000 and some 350 MB; more: 422, then ask for a part of the time. CSV (RFC 4180) in UTF-8 with a byte order mark, its first line the columns' names: `answers.<field id>` for each field that was answered, at most 200, the answers of others as JSON in `more_answers`. Several options are separated by commas, consents are JSON. A text that a spreadsheet would run as a formula has an apostrophe before the sign of that, also within the text, where programs may begin a cell or a line. NDJSON: the submissions as they are answered in JSON, one a line.
   *
   * Permission: `biolinks:submissions:read`.
   */
  export(query?: SubmissionsExportQuery, options?: RequestOptions): Promise<Blob> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/submissions/export`,
      { answer: "blob", query },
      options,
    );
  }

  /**
   * Delete many submissions.
   *
   * Of each: What its events say goes with it, and what receivers of webhooks answered: deliveries that wait fail with `payload_purged`.
   *
   * Permission: `biolinks:submissions:write`.
   */
  bulkDelete(
    body: T.BulkDeleteSubmissions,
    options?: KeyedOptions,
  ): Promise<SubmissionsBulkDeleteAnswer> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/submissions/bulk-delete`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Erase all that somebody sent.
   *
   * For a person who asks for it; it cannot be undone. Deletes every submission with the address in an email field, or as all that was typed into a text or hidden field (of those sent since 2026-11-27), whatever the form and the case. Of each: What its events say goes with it, and what receivers of webhooks answered: deliveries that wait fail with `payload_purged`. The contact that they made, if they did, is erased by `POST /api/v1/contacts/{contact}/erase`. What stays for a while: answers to a release or a mark as spam, kept, encrypted, to replay them with an `Idempotency-Key` (24 hours).
   *
   * Permission: `biolinks:submissions:write`.
   */
  erase(body: T.EraseSubmissions, options?: KeyedOptions): Promise<SubmissionsEraseAnswer> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/submissions/erase`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Read a submission.
   *
   * Reading it does not mark it as read: `PATCH` does.
   *
   * Permission: `biolinks:submissions:read`.
   */
  get(submissionId: string, options?: RequestOptions): Promise<T.Submission> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/submissions/${submissionId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Mark a submission as read or starred.
   *
   * These two are the workspace's own: no event tells of them.
   *
   * Permission: `biolinks:submissions:write`.
   */
  update(
    submissionId: string,
    body: T.UpdateSubmission,
    options: ChangeOptions,
  ): Promise<T.Submission>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    submissionId: string,
    change: (record: T.Submission) => Made<T.UpdateSubmission>,
    options?: RequestOptions,
  ): Promise<T.Submission>;
  update(submissionId: string, body: object, options?: RequestOptions): Promise<T.Submission> {
    return this.#core.update(
      path`/api/v1/biolinks/submissions/${submissionId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a submission.
   *
   * What its events say goes with it, and what receivers of webhooks answered: deliveries that wait fail with `payload_purged`.
   *
   * Permission: `biolinks:submissions:write`.
   */
  delete(submissionId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/biolinks/submissions/${submissionId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }

  /**
   * Accept a submission that was held, or is spam.
   *
   * As if the form had accepted it: its contact is made, or added to, with the form's tags, and `biolinks.submission.received` is told, once however often it is released. One that is accepted already stays as it is. 409: the form takes one submission of each address, and has another of this.
   *
   * Permission: `biolinks:submissions:write`.
   */
  release(submissionId: string, options?: KeyedOptions & MatchOptions): Promise<T.Submission> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/submissions/${submissionId}/release`,
      { answer: "data", keyed: true },
      options,
    );
  }

  /**
   * Mark a submission as spam.
   *
   * It is deleted 30 days later, or when its form's retention ends, if that is earlier. What was told of it, and the contact that it made, stay.
   *
   * Permission: `biolinks:submissions:write`.
   */
  markSpam(submissionId: string, options?: KeyedOptions & MatchOptions): Promise<T.Submission> {
    return this.#core.request(
      "POST",
      path`/api/v1/biolinks/submissions/${submissionId}/mark-spam`,
      { answer: "data", keyed: true },
      options,
    );
  }
}

export class Analytics {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Count what happened.
   *
   * A hit is of one thing: a view of a page, a click of a link or a block, a scan of a QR code, a submission of a form's block. A scan of a code that leads to a link is a scan of the code and a click of the link. A click of a block that leads to a product is told of once more, as one of the product, to who groups by `product` or filters by it: so no number holds it twice. Numbers are kept by quarters of an hour, so they are exact in every time zone of today, for 25 months.
   *
   * Rows are sorted by time, then by the first metric, the largest first, then by their values. With `interval`, each group of the answer has a row for each time. At most 1500 times and 100000 rows; a question that too much would have to be read for, as two dimensions of millions of hits, is refused with 422 too. All pages are of the range of the first; what is counted in between may move a row from one page to another.
   *
   * Permission: `biolinks:analytics:read`.
   */
  list(
    query?: AnalyticsListQuery,
    options?: RequestOptions,
  ): List<T.AnalyticsRow, Page<T.AnalyticsRow> & AnalyticsListPage> {
    return this.#core.list(path`/api/v1/biolinks/analytics`, query, 1000, options);
  }

  /**
   * Count the last 5 and 30 minutes.
   *
   * Each hit is told of in the minute in which it was sent to be counted, at most seconds after it happened. The present minute is the first of the 5 and of the 30, and is not over.
   *
   * Permission: `biolinks:analytics:read`.
   */
  realtime(
    query?: AnalyticsRealtimeQuery,
    options?: RequestOptions,
  ): Promise<
    AnalyticsRealtimeAnswer & {
      meta: {
        fresh_until: string;
      };
    }
  > {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/analytics/realtime`,
      { answer: "merged", query },
      options,
    );
  }

  /**
   * Export numbers as a file.
   *
   * The rows of the same question, all in one, without its `meta`: the same question to `GET /api/v1/biolinks/analytics` with `limit=1` tells it. CSV (RFC 4180) in UTF-8 with a byte order mark, its first line the columns' names; what is not known is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it. NDJSON: the rows as they are answered in JSON, one a line.
   *
   * Rows are sorted by time, then by the first metric, the largest first, then by their values. With `interval`, each group of the answer has a row for each time. At most 1500 times and 100000 rows; a question that too much would have to be read for, as two dimensions of millions of hits, is refused with 422 too.
   *
   * Permission: `biolinks:analytics:read`.
   */
  export(query?: AnalyticsExportQuery, options?: RequestOptions): Promise<Blob> {
    return this.#core.request(
      "GET",
      path`/api/v1/biolinks/analytics/export`,
      { answer: "blob", query },
      options,
    );
  }
}

export class Contacts {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a contact, or change the one with this external id.
   *
   * To set `last_inbound_at`, or to make a contact `active` that was `opted_out` or `blocked`, needs the permission `salesbot:contacts:consent` besides: else 403.
   *
   * Who opted out is remembered by `phone`, `email` and `external_id`, also when the contact is deleted, erased or changed: a contact that has one of them is written as `opted_out` instead of `active`, whatever is sent. With that permission `"status": "active"` undoes it. Telephone numbers are best written with their country, as +447700900123: a number is known again however it is grouped, but not with and without its country.
   *
   * Permission: `salesbot:contacts:write`.
   */
  create(body: T.ContactInput = {}, options?: KeyedOptions): Promise<T.Contact> {
    return this.#core.request(
      "POST",
      path`/api/v1/contacts`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List contacts.
   *
   * With `email`, `channel` or `status`, or with both `stage` and `tag`: where few of many match, a page may end early, even empty, though there are more: go on until `next_cursor` is null.
   *
   * Permission: `salesbot:contacts:read`.
   */
  list(query?: ContactsListQuery, options?: RequestOptions): List<T.Contact> {
    return this.#core.list(path`/api/v1/contacts`, query, 100, options);
  }

  /**
   * Create or change up to 500 contacts.
   *
   * Each row is judged on its own: those that are right are written; the others are answered with their errors. To set `last_inbound_at`, or to make a contact `active` that was `opted_out` or `blocked`, needs the permission `salesbot:contacts:consent` besides: else the row fails.
   *
   * Who opted out is remembered by `phone`, `email` and `external_id`, also when the contact is deleted, erased or changed: a contact that has one of them is written as `opted_out` instead of `active`, whatever is sent. With that permission `"status": "active"` undoes it. Telephone numbers are best written with their country, as +447700900123: a number is known again however it is grouped, but not with and without its country.
   *
   * Permission: `salesbot:contacts:write`.
   */
  import(body: T.ImportContacts, options?: KeyedOptions): Promise<T.ImportedRow[]> {
    return this.#core.request(
      "POST",
      path`/api/v1/contacts/import`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Read a contact.
   *
   * With its tags, its stage, and until when free text may be sent to it.
   *
   * Permission: `salesbot:contacts:read`.
   */
  get(contactId: string, options?: RequestOptions): Promise<T.Contact> {
    return this.#core.request(
      "GET",
      path`/api/v1/contacts/${contactId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a contact.
   *
   * To set `last_inbound_at`, or to make a contact `active` that was `opted_out` or `blocked`, needs the permission `salesbot:contacts:consent` besides: else 403.
   *
   * Who opted out is remembered by `phone`, `email` and `external_id`, also when the contact is deleted, erased or changed: a contact that has one of them is written as `opted_out` instead of `active`, whatever is sent. With that permission `"status": "active"` undoes it. Telephone numbers are best written with their country, as +447700900123: a number is known again however it is grouped, but not with and without its country.
   *
   * Permission: `salesbot:contacts:write`.
   */
  update(contactId: string, body: T.ContactInput, options: ChangeOptions): Promise<T.Contact>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    contactId: string,
    change: (record: T.Contact) => Made<T.ContactInput>,
    options?: RequestOptions,
  ): Promise<T.Contact>;
  update(contactId: string, body: object, options?: RequestOptions): Promise<T.Contact> {
    return this.#core.update(
      path`/api/v1/contacts/${contactId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a contact.
   *
   * The contact and what it holds are gone for good. To erase all that is stored of a person, see `POST …/erase`.
   *
   * Permission: `salesbot:contacts:write`.
   */
  delete(contactId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/contacts/${contactId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }

  /**
   * Erase all that is stored of a contact.
   *
   * For a person who asks for it; it cannot be undone. Before the answer the contact is gone, as if deleted: no message goes to it, and no webhook with its data goes out any more. So is what it sent in forms: submissions that made it or were added to it, and those with its `email` among the answers. Then its data go from messages (text, template and `external_id`; those queued fail with `contact_erased`), from events and from deliveries (payloads, and what receivers answered; those pending fail, `payload_purged`), mostly within seconds: `GET /api/v1/contacts/{contact}/erasure` tells. Messages and deliveries themselves stay, without data, so that counts stay right. `salesbot.contact.deleted` is told with the `id` only.
   *
   * A contact that was deleted before can be erased by its id too, and needs no `If-Match` then; sent again, the answer is the erasure as it stands. What stays for a while: answers kept, encrypted, to replay requests with an `Idempotency-Key` (24 hours). What stays for good, if the contact had opted out: keyed hashes of its `phone`, `email` and `external_id`, so that nobody writes to it again by mistake.
   *
   * Permission: `salesbot:contacts:write`.
   */
  erase(contactId: string, options?: KeyedOptions & MatchOptions): Promise<T.Erasure> {
    return this.#core.request(
      "POST",
      path`/api/v1/contacts/${contactId}/erase`,
      { answer: "data", keyed: true, matched: true },
      options,
    );
  }

  /**
   * Read how far the erasure of a contact is.
   *
   * It goes on for some minutes behind the answer of `POST …/erase`. 404: nobody asked for it.
   *
   * Permission: `salesbot:contacts:read`.
   */
  erasure(contactId: string, options?: RequestOptions): Promise<T.Erasure> {
    return this.#core.request(
      "GET",
      path`/api/v1/contacts/${contactId}/erasure`,
      { answer: "data" },
      options,
    );
  }
}

export class Tags {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a tag.
   *
   * A name is given once in a workspace, whatever its case: else 422.
   *
   * Permission: `salesbot:contacts:write`.
   */
  create(body: T.CreateLabel, options?: KeyedOptions): Promise<T.Label> {
    return this.#core.request(
      "POST",
      path`/api/v1/tags`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List tags.
   *
   * All of the workspace.
   *
   * Permission: `salesbot:contacts:read`.
   */
  list(query?: TagsListQuery, options?: RequestOptions): List<T.Label> {
    return this.#core.list(path`/api/v1/tags`, query, 100, options);
  }

  /**
   * Read a tag.
   *
   * Its name, and when it was changed.
   *
   * Permission: `salesbot:contacts:read`.
   */
  get(tagId: string, options?: RequestOptions): Promise<T.Label> {
    return this.#core.request("GET", path`/api/v1/tags/${tagId}`, { answer: "data" }, options);
  }

  /**
   * Rename a tag.
   *
   * Its contacts keep it, and are not changed.
   *
   * Permission: `salesbot:contacts:write`.
   */
  update(tagId: string, body: T.UpdateLabel, options?: MatchOptions): Promise<T.Label>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    tagId: string,
    change: (record: T.Label) => Made<T.UpdateLabel>,
    options?: RequestOptions,
  ): Promise<T.Label>;
  update(tagId: string, body: object, options?: RequestOptions): Promise<T.Label> {
    return this.#core.update(path`/api/v1/tags/${tagId}`, { answer: "data", body }, options);
  }

  /**
   * Delete a tag.
   *
   * It is gone from every answer at once, and its name is free. Its contacts are changed after the answer, many within minutes: each gets a new revision and its event `salesbot.contact.updated`. 409 while a segment uses it: the message names the segments.
   *
   * Permission: `salesbot:contacts:write`.
   */
  delete(tagId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/tags/${tagId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class Stages {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Create a stage.
   *
   * A name is given once in a workspace, whatever its case: else 422.
   *
   * Permission: `salesbot:contacts:write`.
   */
  create(body: T.CreateLabel, options?: KeyedOptions): Promise<T.Label> {
    return this.#core.request(
      "POST",
      path`/api/v1/stages`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List stages.
   *
   * All of the workspace.
   *
   * Permission: `salesbot:contacts:read`.
   */
  list(query?: StagesListQuery, options?: RequestOptions): List<T.Label> {
    return this.#core.list(path`/api/v1/stages`, query, 100, options);
  }

  /**
   * Read a stage.
   *
   * Its name, and when it was changed.
   *
   * Permission: `salesbot:contacts:read`.
   */
  get(stageId: string, options?: RequestOptions): Promise<T.Label> {
    return this.#core.request("GET", path`/api/v1/stages/${stageId}`, { answer: "data" }, options);
  }

  /**
   * Rename a stage.
   *
   * Its contacts keep it, and are not changed.
   *
   * Permission: `salesbot:contacts:write`.
   */
  update(stageId: string, body: T.UpdateLabel, options?: MatchOptions): Promise<T.Label>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    stageId: string,
    change: (record: T.Label) => Made<T.UpdateLabel>,
    options?: RequestOptions,
  ): Promise<T.Label>;
  update(stageId: string, body: object, options?: RequestOptions): Promise<T.Label> {
    return this.#core.update(path`/api/v1/stages/${stageId}`, { answer: "data", body }, options);
  }

  /**
   * Delete a stage.
   *
   * It is gone from every answer at once, and its name is free. Its contacts are changed after the answer, many within minutes: each gets a new revision and its event `salesbot.contact.updated`. 409 while a segment uses it: the message names the segments.
   *
   * Permission: `salesbot:contacts:write`.
   */
  delete(stageId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/stages/${stageId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class Segments {
  readonly #core: Core;
  readonly fields: SegmentsFields;
  readonly contacts: SegmentsContacts;

  constructor(core: Core) {
    this.#core = core;
    this.fields = new SegmentsFields(core);
    this.contacts = new SegmentsContacts(core);
  }

  /**
   * See what a segment would select.
   *
   * Nothing is saved. The count stops at 10,000, or when it has read 50,000 rows or taken a tenth of a second: then `more` is true.
   *
   * Permission: `salesbot:contacts:read`.
   */
  preview(body: T.PreviewSegment = {}, options?: KeyedOptions): Promise<SegmentsPreviewAnswer> {
    return this.#core.request(
      "POST",
      path`/api/v1/segments/preview`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Save a segment.
   *
   * A contact is in a segment if it meets all that the segment says. `contacts_count` is kept, and counted anew a minute after contacts changed, or later: the more work the last count was, the later the next one begins.
   *
   * Permission: `salesbot:contacts:write`.
   */
  create(body: T.CreateSegment, options?: KeyedOptions): Promise<T.Segment> {
    return this.#core.request(
      "POST",
      path`/api/v1/segments`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * List segments.
   *
   * With their counts, as they were counted last. Where segments are large, a page may end early: go on until `next_cursor` is null.
   *
   * Permission: `salesbot:contacts:read`.
   */
  list(query?: SegmentsListQuery, options?: RequestOptions): List<T.Segment> {
    return this.#core.list(path`/api/v1/segments`, query, 100, options);
  }

  /**
   * Read a segment.
   *
   * With its rules, and how many contacts were in it when they were counted last.
   *
   * Permission: `salesbot:contacts:read`.
   */
  get(segmentId: string, options?: RequestOptions): Promise<T.Segment> {
    return this.#core.request(
      "GET",
      path`/api/v1/segments/${segmentId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a segment.
   *
   * `conditions` are replaced as a whole. The count is made anew.
   *
   * Permission: `salesbot:contacts:write`.
   */
  update(segmentId: string, body: T.UpdateSegment, options: ChangeOptions): Promise<T.Segment>;
  /** Reads the record, and writes what `change` makes of it, from the start if others changed it meanwhile; `undefined` leaves it as it is. */
  update(
    segmentId: string,
    change: (record: T.Segment) => Made<T.UpdateSegment>,
    options?: RequestOptions,
  ): Promise<T.Segment>;
  update(segmentId: string, body: object, options?: RequestOptions): Promise<T.Segment> {
    return this.#core.update(
      path`/api/v1/segments/${segmentId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a segment.
   *
   * Its contacts stay.
   *
   * Permission: `salesbot:contacts:write`.
   */
  delete(segmentId: string, options?: MatchOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/api/v1/segments/${segmentId}`,
      { answer: "nothing", matched: true },
      options,
    );
  }
}

export class Messages {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Send a message to a contact.
   *
   * It is queued, and goes out through the channel's connector. A message that may not be sent is refused with a `reason`: `contact_blocked`, `contact_opted_out`, `channel_not_available`, `messaging_window_closed`.
   *
   * Permission: `salesbot:messages:send`.
   */
  create(body: T.SendMessage, options?: KeyedOptions): Promise<T.Message> {
    return this.#core.request(
      "POST",
      path`/api/v1/messages`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Read a message.
   *
   * Its `status` says whether it went out, and `reason` why not.
   *
   * Permission: `salesbot:messages:send`.
   */
  get(messageId: string, options?: RequestOptions): Promise<T.Message> {
    return this.#core.request(
      "GET",
      path`/api/v1/messages/${messageId}`,
      { answer: "data" },
      options,
    );
  }
}

export class Webhooks {
  readonly events: WebhooksEvents;
  readonly endpoints: WebhooksEndpoints;
  readonly deliveries: WebhooksDeliveries;

  constructor(core: Core) {
    this.events = new WebhooksEvents(core);
    this.endpoints = new WebhooksEndpoints(core);
    this.deliveries = new WebhooksDeliveries(core);
  }
}

export class Automation {
  readonly #core: Core;
  readonly hooks: AutomationHooks;
  readonly sample: AutomationSample;

  constructor(core: Core) {
    this.#core = core;
    this.hooks = new AutomationHooks(core);
    this.sample = new AutomationSample(core);
  }

  /**
   * Check the connection.
   *
   * Names the workspace and the key, and lists the events that the key may subscribe to, of the workspace's features.
   *
   * Permission: `salesbot:automation:hooks`.
   */
  me(options?: RequestOptions): Promise<T.AutomationConnection> {
    return this.#core.request("GET", path`/automation/me`, { answer: "data" }, options);
  }

  /**
   * Have an event sent to a URL.
   *
   * On every channel of the event; this needs the permission of its product, `<product>:webhooks:subscribe`. Answering 410 there removes the hook, and so do five days in which every attempt fails. It belongs to the key that asked for it last: when that is revoked, expires or may no more, the hook gets nothing. At most 100 hooks a workspace.
   *
   * Permission: `salesbot:automation:hooks`.
   */
  subscribe(body: T.SubscribeHook, options?: KeyedOptions): Promise<T.AutomationHook> {
    return this.#core.request(
      "POST",
      path`/automation/subscribe`,
      { answer: "data", keyed: true, body },
      options,
    );
  }

  /**
   * Remove a hook.
   *
   * One of this key's; another key's stays.
   *
   * Permission: `salesbot:automation:hooks`.
   */
  unsubscribe(body: T.UnsubscribeHook, options?: KeyedOptions): Promise<void> {
    return this.#core.request(
      "POST",
      path`/automation/unsubscribe`,
      { answer: "nothing", keyed: true, body },
      options,
    );
  }
}

export class Signpost {
  readonly links: Links;
  readonly domains: Domains;
  readonly pages: Pages;
  readonly catalogue: Catalogue;
  readonly pixels: Pixels;
  readonly qrCodes: QrCodes;
  readonly files: Files;
  readonly submissions: Submissions;
  readonly analytics: Analytics;
  readonly contacts: Contacts;
  readonly tags: Tags;
  readonly stages: Stages;
  readonly segments: Segments;
  readonly messages: Messages;
  readonly webhooks: Webhooks;
  readonly automation: Automation;

  constructor({
    apiKey,
    ...options
  }: ClientOptions & {
    /** A workspace's key, `osk_…`; null where something between adds it, as for a browser. */ apiKey:
      | string
      | null;
  }) {
    const core = new Core(options, apiKey);
    this.links = new Links(core);
    this.domains = new Domains(core);
    this.pages = new Pages(core);
    this.catalogue = new Catalogue(core);
    this.pixels = new Pixels(core);
    this.qrCodes = new QrCodes(core);
    this.files = new Files(core);
    this.submissions = new Submissions(core);
    this.analytics = new Analytics(core);
    this.contacts = new Contacts(core);
    this.tags = new Tags(core);
    this.stages = new Stages(core);
    this.segments = new Segments(core);
    this.messages = new Messages(core);
    this.webhooks = new Webhooks(core);
    this.automation = new Automation(core);
  }
}
