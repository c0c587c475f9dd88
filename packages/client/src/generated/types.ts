// Made by `npm run client` from the API description: change that, not this.

export interface PublishingPostPublishedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "publishing.post.published";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    title: string | null;
    url: string | null;
    networks: string[];
    scheduled_at: string | null;
    published_at: string | null;
  };
}

export interface PublishingPostScheduledEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "publishing.post.scheduled";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    title: string | null;
    url: string | null;
    networks: string[];
    scheduled_at: string | null;
    published_at: string | null;
  };
}

export interface PublishingPostFailedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "publishing.post.failed";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    title: string | null;
    url: string | null;
    networks: string[];
    scheduled_at: string | null;
    published_at: string | null;
    error: string;
  };
}

export interface SalesbotContactCreatedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.contact.created";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    channel:
      | "whatsapp"
      | "instagram"
      | "messenger"
      | "telegram"
      | "sms"
      | "email"
      | "webchat"
      | null;
    stage: string | null;
    tags: string[];
    country: string | null;
    language: string | null;
    custom: Record<string, string | number | boolean>;
    status: "active" | "opted_out" | "blocked";
    last_active_at: string | null;
    last_inbound_at: string | null;
    created_at: string;
    updated_at: string;
    changed?: string[];
    custom_left_out?: string[];
  };
}

export interface SalesbotContactUpdatedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.contact.updated";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    channel:
      | "whatsapp"
      | "instagram"
      | "messenger"
      | "telegram"
      | "sms"
      | "email"
      | "webchat"
      | null;
    stage: string | null;
    tags: string[];
    country: string | null;
    language: string | null;
    custom: Record<string, string | number | boolean>;
    status: "active" | "opted_out" | "blocked";
    last_active_at: string | null;
    last_inbound_at: string | null;
    created_at: string;
    updated_at: string;
    changed?: string[];
    custom_left_out?: string[];
  };
}

export interface SalesbotContactDeletedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.contact.deleted";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id?: string | null;
    name?: string | null;
    email?: string | null;
    phone?: string | null;
    channel?:
      | "whatsapp"
      | "instagram"
      | "messenger"
      | "telegram"
      | "sms"
      | "email"
      | "webchat"
      | null;
    stage?: string | null;
    tags?: string[];
    country?: string | null;
    language?: string | null;
    custom?: Record<string, string | number | boolean>;
    status?: "active" | "opted_out" | "blocked";
    last_active_at?: string | null;
    last_inbound_at?: string | null;
    created_at?: string;
    updated_at?: string;
    changed?: string[];
    custom_left_out?: string[];
  };
}

export interface SalesbotContactTaggedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.contact.tagged";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    channel:
      | "whatsapp"
      | "instagram"
      | "messenger"
      | "telegram"
      | "sms"
      | "email"
      | "webchat"
      | null;
    stage: string | null;
    tags: string[];
    country: string | null;
    language: string | null;
    custom: Record<string, string | number | boolean>;
    status: "active" | "opted_out" | "blocked";
    last_active_at: string | null;
    last_inbound_at: string | null;
    created_at: string;
    updated_at: string;
    changed?: string[];
    custom_left_out?: string[];
  };
}

export interface SalesbotContactOptedOutEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.contact.opted_out";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    channel:
      | "whatsapp"
      | "instagram"
      | "messenger"
      | "telegram"
      | "sms"
      | "email"
      | "webchat"
      | null;
    stage: string | null;
    tags: string[];
    country: string | null;
    language: string | null;
    custom: Record<string, string | number | boolean>;
    status: "active" | "opted_out" | "blocked";
    last_active_at: string | null;
    last_inbound_at: string | null;
    created_at: string;
    updated_at: string;
    changed?: string[];
    custom_left_out?: string[];
  };
}

export interface SalesbotMessageQueuedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.message.queued";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    contact: string;
    channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
    direction: "outbound" | "inbound";
    text: string | null;
    template: {
      name: string;
      params: Record<string, string>;
    } | null;
    status: "queued" | "sent" | "failed" | "received";
    reason: MessageFailure | null;
    created_at: string;
  };
}

/** There may be others. */
export type MessageFailure =
  | "contact_blocked"
  | "contact_deleted"
  | "contact_erased"
  | "contact_opted_out"
  | "channel_not_available"
  | "messaging_window_closed"
  | "connector_unreachable"
  | "rejected_by_connector"
  | "internal_error"
  | (string & {});

export interface SalesbotMessageSentEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.message.sent";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    contact: string;
    channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
    direction: "outbound" | "inbound";
    text: string | null;
    template: {
      name: string;
      params: Record<string, string>;
    } | null;
    status: "queued" | "sent" | "failed" | "received";
    reason: MessageFailure | null;
    created_at: string;
  };
}

export interface SalesbotMessageFailedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.message.failed";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    contact: string;
    channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
    direction: "outbound" | "inbound";
    text: string | null;
    template: {
      name: string;
      params: Record<string, string>;
    } | null;
    status: "queued" | "sent" | "failed" | "received";
    reason: MessageFailure | null;
    created_at: string;
  };
}

export interface SalesbotMessageReceivedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "salesbot.message.received";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    contact: string;
    channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
    direction: "outbound" | "inbound";
    text: string | null;
    template: {
      name: string;
      params: Record<string, string>;
    } | null;
    status: "queued" | "sent" | "failed" | "received";
    reason: MessageFailure | null;
    created_at: string;
  };
}

export interface BiolinksLinkCreatedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.link.created";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    slug: string;
    domain: string | null;
    /** As it is at that moment. On `domain-removed.invalid` when the link's domain was deleted; that deletion itself is no change of the link. */
    public_url: string;
    title: string | null;
    destination: string | null;
    /** A new link is paused. */
    status: "active" | "paused";
    /** Switched off by the operator. */
    disabled: boolean;
    has_password: boolean;
    settings: {
      utm: {
        source?: string;
        medium?: string;
        campaign?: string;
      };
      forward_query: boolean;
      http_status: RedirectStatus;
      sensitive_content: boolean;
      pixels: string[];
    };
    created_at: string;
    updated_at: string;
  };
}

export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

export interface BiolinksLinkUpdatedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.link.updated";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    slug: string;
    domain: string | null;
    /** As it is at that moment. On `domain-removed.invalid` when the link's domain was deleted; that deletion itself is no change of the link. */
    public_url: string;
    title: string | null;
    destination: string | null;
    /** A new link is paused. */
    status: "active" | "paused";
    /** Switched off by the operator. */
    disabled: boolean;
    has_password: boolean;
    settings: {
      utm: {
        source?: string;
        medium?: string;
        campaign?: string;
      };
      forward_query: boolean;
      http_status: RedirectStatus;
      sensitive_content: boolean;
      pixels: string[];
    };
    created_at: string;
    updated_at: string;
    changed: string[];
  };
}

export interface BiolinksLinkDeletedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.link.deleted";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    slug: string;
    domain: string | null;
    /** As it is at that moment. On `domain-removed.invalid` when the link's domain was deleted; that deletion itself is no change of the link. */
    public_url: string;
  };
}

export interface BiolinksPagePublishedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.page.published";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    handle: string;
    domain: string | null;
    /** As it is at that moment. */
    public_url: string;
    /** The draft's. */
    title: string;
    /** Which visitors get, or got until now. */
    version: number;
    /** When this version was published. */
    published_at: string;
  };
}

export interface BiolinksPageUnpublishedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.page.unpublished";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    handle: string;
    domain: string | null;
    /** As it is at that moment. */
    public_url: string;
    /** The draft's. */
    title: string;
    /** Which visitors get, or got until now. */
    version: number;
    /** What was done with the page. */
    reason: "unpublished" | "paused" | "deleted";
  };
}

export interface BiolinksProductUpdatedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.product.updated";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id: string;
    title: string;
    price: {
      amount: number;
      currency: string;
    } | null;
    sale_price: {
      amount: number;
      currency: string;
    } | null;
    sale_starts_at: string | null;
    sale_ends_at: string | null;
    availability: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
    status: "active" | "hidden";
    created_at: string;
    updated_at: string;
    /** Whether the product was made by this. */
    is_new: boolean;
    changed: string[];
  };
}

export interface BiolinksProductDeletedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.product.deleted";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    external_id: string;
    title: string;
  };
}

export interface BiolinksQrScannedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.qr.scanned";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    /** Of this summary: there is one for each code and hour. */
    id: string;
    qr_code: string;
    name: string | null;
    /** By people. */
    scans: number;
    /** Those who scanned it in this hour for the first time that day (UTC): so the hours of a day add up to its visitors. */
    visitors: number;
    from: string;
    to: string;
  };
}

export interface BiolinksSubmissionReceivedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.submission.received";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    page: string;
    block: string;
    page_version: number;
    answers: Record<string, string | number | boolean | string[]>;
    fields: {
      id: string;
      type:
        | "text"
        | "email"
        | "phone"
        | "textarea"
        | "number"
        | "date"
        | "select"
        | "multi_select"
        | "checkbox"
        | "consent"
        | "hidden";
      label: string;
      required: boolean;
    }[];
    consents: {
      field: string;
      /** What was consented to, as it was shown. */
      text: string;
      /** SHA-256 of the text, in hex. */
      hash: string;
      given_at: string;
    }[];
    contact: string | null;
    country: string | null;
    referrer_host: string | null;
    utm: {
      source?: string;
      medium?: string;
      campaign?: string;
    };
    created_at: string;
  };
}

export interface BiolinksSubmissionHeldEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "biolinks.submission.held";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    page: string;
    block: string;
    page_version: number;
    answers: Record<string, string | number | boolean | string[]>;
    fields: {
      id: string;
      type:
        | "text"
        | "email"
        | "phone"
        | "textarea"
        | "number"
        | "date"
        | "select"
        | "multi_select"
        | "checkbox"
        | "consent"
        | "hidden";
      label: string;
      required: boolean;
    }[];
    consents: {
      field: string;
      /** What was consented to, as it was shown. */
      text: string;
      /** SHA-256 of the text, in hex. */
      hash: string;
      given_at: string;
    }[];
    contact: string | null;
    country: string | null;
    referrer_host: string | null;
    utm: {
      source?: string;
      medium?: string;
      campaign?: string;
    };
    created_at: string;
    reasons: (
      | "honeypot"
      | "too_fast"
      | "turnstile_refused"
      | "turnstile_unavailable"
      | "duplicate"
      | "blocked_words"
      | "too_many_links"
      | "marked"
    )[];
  };
}

export interface WorkspaceEndpointDisabledEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "workspace.endpoint.disabled";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    name: string;
    host: string;
    reason: "gone" | "failing" | "disabled_by_receiver" | "secret_unreadable";
    disabled_at: string;
  };
}

export interface WorkspaceDeliveryExhaustedEvent {
  /** The event: the same for every endpoint, and for a resend. */
  id: string;
  type: "workspace.delivery.exhausted";
  /** When it happened. */
  timestamp: string;
  workspace: string;
  channel: "all";
  /** True: a sample, which `…/test` asked for. */
  test: boolean;
  data: {
    id: string;
    endpoint: string;
    event: string;
    event_id: string;
    channel: string;
    attempts_count: number;
    status_code: number | null;
    error: string;
    exhausted_at: string;
  };
}

/** A row of a feed in CSV or in tab separated values, by the names of its columns. A field without a column stays as it is; an empty cell takes a field away. */
export interface ProductFeedRow {
  /** The product's `external_id`. */
  id: string;
  /** Of a new product it must be there. */
  title?: string;
  /** Kept with the blanks around it. */
  description?: string;
  /** The product's `url`: http or https. */
  link?: string;
  /** The address of its picture, of a file of the workspace or elsewhere. */
  image_link?: string;
  /** More addresses, separated by commas, or in a column each. */
  additional_image_link?: string;
  /** As `12.50 USD`. */
  price?: string;
  /** As `9.90 USD`: less than the price, in its currency. */
  sale_price?: string;
  /** From when to when the sale price holds: two times, `/` between. */
  sale_price_effective_date?: string;
  /** From when the sale price holds. */
  sale_price_start_date?: string;
  /** Until when the sale price holds. */
  sale_price_end_date?: string;
  /** As `in stock` or `in_stock`. */
  availability?: string;
  /** `new`, `refurbished` or `used`. */
  condition?: string;
  /** Who makes it. */
  brand?: string;
  /** A GTIN-8, -12, -13 or -14 (EAN, UPC, ISBN). */
  gtin?: string;
  /** The maker's number of it. */
  mpn?: string;
  /** The same for all variants of a product. */
  item_group_id?: string;
  /** By Google's taxonomy. */
  google_product_category?: string;
  /** By your own taxonomy. */
  product_type?: string;
  /** One of up to five labels. */
  custom_label_0?: string;
  /** One of up to five labels. */
  custom_label_1?: string;
  /** One of up to five labels. */
  custom_label_2?: string;
  /** One of up to five labels. */
  custom_label_3?: string;
  /** One of up to five labels. */
  custom_label_4?: string;
  /** `active` or `hidden`. */
  status?: string;
}

export interface Link {
  id: string;
  /** Changes on every write; also the `ETag`. */
  revision: string;
  slug: string;
  domain: string | null;
  public_url: string;
  title: string | null;
  destination: string;
  /** A new link is paused. */
  status: "active" | "paused";
  /** Switched off by the operator. */
  disabled: boolean;
  has_password: boolean;
  settings: {
    utm: {
      source?: string;
      medium?: string;
      campaign?: string;
    };
    forward_query: boolean;
    http_status: RedirectStatus;
    sensitive_content: boolean;
    pixels: string[];
  };
  created_at: string;
  updated_at: string;
}

export interface Error {
  /** For people; its wording may change. */
  message: string;
  code: ErrorCode;
  /** Messages by field, when the status is 422. Nested fields are named with dots. */
  errors?: Record<string, string[]>;
  reason?: RefusalReason;
}

/** For programs; stable. There may be others. */
export type ErrorCode =
  | "unauthenticated"
  | "forbidden"
  | "workspace_suspended"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "idempotency_key_reused"
  | "idempotency_in_progress"
  | "idempotency_answer_gone"
  | "precondition_failed"
  | "payload_too_large"
  | "validation_failed"
  | "malformed_body"
  | "storage_full"
  | "precondition_required"
  | "message_refused"
  | "unknown_event"
  | "invalid_target_url"
  | "too_many_hooks"
  | "automation_not_connected"
  | "rate_limited"
  | "internal"
  | "not_configured"
  | "overloaded"
  | (string & {});

/** Why a message cannot be sent, when the code is `message_refused`. There may be others. */
export type RefusalReason =
  | "contact_blocked"
  | "contact_opted_out"
  | "channel_not_available"
  | "messaging_window_closed"
  | (string & {});

export interface CreateLink {
  /** Where the link leads: an absolute http, https, mailto or tel URL without credentials. */
  destination: string;
  title?: string | null;
  /** The path of the short link. Kept as given, matched without regard to case, unique on its host. */
  slug?: string | null;
  /** A verified custom domain of the workspace; null: the platform's host. */
  domain?: string | null;
  settings?: LinkSettingsInput;
}

/** An empty text, or one of spaces only: the field is taken as left out, or as null where it may be null. */
export type Blank = "";

export interface LinkSettingsInput {
  /** Write-only: asked of every visitor, never returned. Empty: as if left out; `clear_password` removes it. */
  password?: string;
  /** True removes the password. */
  clear_password?: boolean;
  /** Passes the visitor's query string on to the destination. */
  forward_query?: boolean;
  /** Asks the visitor's consent before going on. */
  sensitive_content?: boolean;
  utm?: LinkUtmInput;
  /** Ids of the workspace's pixels; replaces the current selection. */
  pixels?: string[];
  http_status?: RedirectStatus;
}

/** A null or blank value removes the parameter. */
export interface LinkUtmInput {
  source?: string | null;
  medium?: string | null;
  campaign?: string | null;
}

/** Fields left out keep their values. */
export interface UpdateLink {
  destination?: string;
  title?: string | null;
  /** The path of the short link. Kept as given, matched without regard to case, unique on its host. */
  slug?: string;
  /** A verified custom domain of the workspace; null: the platform's host. */
  domain?: string | null;
  status?: "active" | "paused";
  settings?: LinkSettingsChange;
}

/** Fields left out keep their values. */
export interface LinkSettingsChange {
  /** Write-only: asked of every visitor, never returned. Empty: as if left out; `clear_password` removes it. */
  password?: string;
  /** True removes the password. */
  clear_password?: boolean;
  /** Passes the visitor's query string on to the destination. */
  forward_query?: boolean;
  /** Asks the visitor's consent before going on. */
  sensitive_content?: boolean;
  utm?: LinkUtmInput;
  /** Ids of the workspace's pixels; replaces the current selection. */
  pixels?: string[];
  http_status?: 301 | 302 | 303 | 307 | 308;
}

export interface Domain {
  id: string;
  revision: string;
  host: string;
  /** `active` once ownership and traffic are right; `failed` after three daily checks in a row that found them wrong. */
  status: "pending" | "active" | "failed";
  verified: boolean;
  /** Whether Cloudflare has its certificate in use, where the operator has set that up. */
  ssl_active: boolean;
  disabled: boolean;
  root_url: string | null;
  not_found_url: string | null;
  last_checked_at: string | null;
  /** What to create at your DNS provider. */
  dns_records: {
    /** ALIAS: a flattened CNAME, or the A and AAAA records of its value. */
    type: "TXT" | "CNAME" | "ALIAS";
    name: string;
    value: string;
    purpose: "ownership" | "traffic";
  }[];
  /** What the last check found wrong, and what to do. */
  problems: {
    record: string;
    name: string;
    found: string[];
    expected: string[];
    message: string;
  }[];
  created_at: string;
  updated_at: string;
}

export interface CreateDomain {
  /** A host name of yours. International names are kept in punycode. */
  host: string;
}

/** Fields left out keep their values. */
export interface UpdateDomain {
  /** True takes it out of service. */
  disabled?: boolean;
  /** Where visitors of the bare domain are sent: an http or https URL, without user and password; null: to the not-found page. */
  root_url?: string | null;
  /** Where visitors of unknown paths are sent: an http or https URL, without user and password; null: to the not-found page. */
  not_found_url?: string | null;
}

export interface Page {
  id: string;
  /** Changes on every write of the page or of one of its blocks; also the `ETag`. */
  revision: string;
  handle: string;
  domain: string | null;
  public_url: string;
  status: "draft" | "published" | "paused";
  /** Switched off by the operator. */
  disabled: boolean;
  title: string;
  language: string;
  time_zone: string;
  profile: PageProfile;
  theme: PageTheme;
  seo: PageSeo;
  settings: {
    sensitive_content: boolean;
    pixels: string[];
    utm: {
      source?: string;
      medium?: string;
      campaign?: string;
    };
    has_password: boolean;
    domain_root: boolean;
  };
  /** The ids of its blocks, in order. */
  block_order: string[];
  /** Whether something was changed since the page was published, also if it was changed back. */
  has_unpublished_changes: boolean;
  /** The version that visitors get; null: none. */
  published_version: number | null;
  published_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface PageProfile {
  name: string | null;
  tagline: string | null;
  avatar: string | null;
}

/** Every pair of text and what lies behind it has a contrast of at least 4.5 : 1, edges of controls 3 : 1, in each mode that visitors may see. */
export interface PageTheme {
  preset:
    | "meadow"
    | "paper"
    | "midnight"
    | "sunset"
    | "studio"
    | "ocean"
    | "clay"
    | "candy"
    | "forest"
    | "signal";
  mode?: "auto" | "light" | "dark";
  colors?: ThemeColours;
  background?:
    | {
        type: "color";
      }
    | {
        type: "gradient";
        stops: ThemeColour[];
        angle?: number;
      }
    | {
        type: "image";
        /** A picture of the workspace's files. */
        file: string;
        /** How much of the background colour lies over the picture, so that texts on it can be read. Left out: as much as the colours need. */
        scrim?: number;
      };
  button?: "fill" | "outline" | "soft";
  radius?: number;
  font?: "system" | "serif" | "mono" | "rounded";
  align?: "start" | "center";
  density?: "compact" | "regular" | "spacious";
}

/** What is left out is the preset's. */
export interface ThemeColours {
  background?:
    | string
    | {
        light: string;
        dark: string;
      };
  surface?:
    | string
    | {
        light: string;
        dark: string;
      };
  text?:
    | string
    | {
        light: string;
        dark: string;
      };
  muted?:
    | string
    | {
        light: string;
        dark: string;
      };
  accent?:
    | string
    | {
        light: string;
        dark: string;
      };
  on_accent?:
    | string
    | {
        light: string;
        dark: string;
      };
}

/** One colour for both modes, or one for each. */
export type ThemeColour =
  | string
  | {
      light: string;
      dark: string;
    };

export interface PageSeo {
  title: string | null;
  description: string | null;
  image: string | null;
  indexable: boolean;
}

/** Left out: `language` is en, `time_zone` UTC, `theme` the first preset. */
export interface CreatePage {
  /** The page stands at `/@handle`. Kept as given, matched without regard to case, unique on its host. */
  handle: string;
  /** A verified custom domain of the workspace; null: the platform's host. */
  domain?: string | null;
  title: string;
  language?: string;
  time_zone?: string;
  profile?: PageProfileInput;
  theme?: PageTheme;
  seo?: PageSeoInput;
  settings?: PageSettingsInput;
  /** At most 100. */
  blocks?: (
    | CreateLinkBlock
    | CreateHeadingBlock
    | CreateTextBlock
    | CreateDividerBlock
    | CreateImageBlock
    | CreateGalleryBlock
    | CreateEmbedBlock
    | CreateSocialBlock
    | CreateMessagingBlock
    | CreateFormBlock
    | CreateContactCardBlock
    | CreateEventBlock
    | CreateCountdownBlock
    | CreateFaqBlock
    | CreateTestimonialsBlock
    | CreateProductsBlock
    | CreateLocationBlock
    | CreateFileBlock
    | CreatePostsBlock
  )[];
}

/** Fields left out keep their values. */
export interface PageProfileInput {
  name?: string | null;
  tagline?: string | null;
  /** A picture of the workspace's files. */
  avatar?: string | null;
}

/** Fields left out keep their values. */
export interface PageSeoInput {
  title?: string | null;
  description?: string | null;
  /** A picture of the workspace's files. */
  image?: string | null;
  /** Whether search engines may list the page. */
  indexable?: boolean;
}

/** Fields left out keep their values. The password and `domain_root` hold at once, all else when the page is published. */
export interface PageSettingsInput {
  /** Write-only: asked of every visitor, never returned. Empty: as if left out; `clear_password` removes it. */
  password?: string;
  /** True removes the password. */
  clear_password?: boolean;
  /** Asks the visitor's consent before the page is shown. */
  sensitive_content?: boolean;
  /** Ids of the workspace's pixels; replaces the current selection. */
  pixels?: string[];
  utm?: LinkUtmInput;
  /** Whether the page stands at its domain's `/`, too: one page of a domain may. */
  domain_root?: boolean;
}

export interface CreateLinkBlock {
  type: "link";
  enabled?: boolean;
  settings: LinkBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

/** Exactly one of `url`, `link` and `product`. */
export interface LinkBlock {
  label: string;
  url?: string;
  /** A short link of the workspace. */
  link?: string;
  /** A product of the catalogue, with its price and, for want of a thumbnail or an icon, its picture. */
  product?: string;
  /** Below the label, above the host that it leads to. */
  description?: string;
  thumbnail?: PagePicture;
  icon?:
    | "arrow"
    | "bag"
    | "book"
    | "calendar"
    | "camera"
    | "chat"
    | "check"
    | "chevron"
    | "clock"
    | "coffee"
    | "download"
    | "file"
    | "gift"
    | "globe"
    | "heart"
    | "home"
    | "mail"
    | "map"
    | "music"
    | "person"
    | "phone"
    | "play"
    | "rss"
    | "star"
    | "ticket"
    | "video"
    | "instagram"
    | "tiktok"
    | "youtube"
    | "x"
    | "facebook"
    | "linkedin"
    | "threads"
    | "bluesky"
    | "mastodon"
    | "pinterest"
    | "snapchat"
    | "whatsapp"
    | "telegram"
    | "messenger"
    | "signal"
    | "line"
    | "discord"
    | "twitch"
    | "spotify"
    | "soundcloud"
    | "apple_music"
    | "apple_podcasts"
    | "bandcamp"
    | "vimeo"
    | "github"
    | "gitlab"
    | "behance"
    | "dribbble"
    | "medium"
    | "substack"
    | "patreon"
    | "kofi"
    | "reddit"
    | "tumblr"
    | "etsy";
  /** One or two words such as `New`. */
  badge?: string;
  /** True: it stands out from the others. */
  highlight?: boolean;
}

/** Exactly one of `alt` and `decorative: true`. */
export interface PagePicture {
  /** A picture of the workspace's files. */
  file: string;
  /** What it shows, for those who do not see it. */
  alt?: string;
  /** True: it says nothing that the words around it do not. */
  decorative?: boolean;
}

export interface BlockVisibility {
  /** From this moment on. */
  starts_at?: string | null;
  /** Until this moment; after `starts_at`. */
  ends_at?: string | null;
  /** Exactly one of `in` and `not_in`. */
  countries?:
    | {
        in: string[];
      }
    | {
        not_in: string[];
      }
    | null;
  devices?: ("mobile" | "tablet" | "desktop")[] | null;
}

export interface CreateHeadingBlock {
  type: "heading";
  enabled?: boolean;
  settings: HeadingBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface HeadingBlock {
  text: string;
}

export interface CreateTextBlock {
  type: "text";
  enabled?: boolean;
  settings: TextBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface TextBlock {
  /** CommonMark. At most 10 lists and quotes begin in each other on a line; 250 lines, 70 links, 60 runs of backticks or 500 other formatting characters are the most, together in proportion. */
  text: string;
}

export interface CreateDividerBlock {
  type: "divider";
  enabled?: boolean;
  settings: DividerBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface DividerBlock {
  style?: "line" | "dots" | "space";
}

export interface CreateImageBlock {
  type: "image";
  enabled?: boolean;
  settings: ImageBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface ImageBlock {
  image: PagePicture;
  caption?: string;
  url?: string;
}

export interface CreateGalleryBlock {
  type: "gallery";
  enabled?: boolean;
  settings: GalleryBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface GalleryBlock {
  title?: string;
  images: PagePicture[];
  /** `strip`: one row that is moved sideways. */
  layout?: "grid" | "strip";
}

export interface CreateEmbedBlock {
  type: "embed";
  enabled?: boolean;
  settings: EmbedBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface EmbedBlock {
  /** An absolute http or https URL without credentials. */
  url: string;
  title: string;
  description?: string;
  thumbnail?: PagePicture;
}

export interface CreateSocialBlock {
  type: "social";
  enabled?: boolean;
  settings: SocialBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface SocialBlock {
  items: {
    platform:
      | "instagram"
      | "tiktok"
      | "youtube"
      | "x"
      | "facebook"
      | "linkedin"
      | "threads"
      | "bluesky"
      | "mastodon"
      | "pinterest"
      | "snapchat"
      | "whatsapp"
      | "telegram"
      | "messenger"
      | "signal"
      | "line"
      | "discord"
      | "twitch"
      | "spotify"
      | "soundcloud"
      | "apple_music"
      | "apple_podcasts"
      | "bandcamp"
      | "vimeo"
      | "github"
      | "gitlab"
      | "behance"
      | "dribbble"
      | "medium"
      | "substack"
      | "patreon"
      | "kofi"
      | "reddit"
      | "tumblr"
      | "etsy"
      | "website"
      | "email"
      | "phone"
      | "rss";
    /** An absolute http, https, mailto or tel URL without credentials. */
    url: string;
  }[];
}

export interface CreateMessagingBlock {
  type: "messaging";
  enabled?: boolean;
  settings: MessagingBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export type MessagingBlock =
  | {
      channel: "whatsapp";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "telegram";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "messenger";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "sms";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "email";
      to: string;
      label?: string;
      text?: string;
    };

export interface CreateFormBlock {
  type: "form";
  enabled?: boolean;
  settings: FormBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface FormBlock {
  title?: string;
  submit_label: string;
  success: {
    message?: string;
    redirect?: string;
  };
  fields: FormField[];
  /** Default: `{"min_seconds":2,"max_per_ip_hour":5,"turnstile":false}`. */
  spam?: {
    /** Who is faster than that is a program. Default: `2`. */
    min_seconds?: number;
    /** Default: `5`. */
    max_per_ip_hour?: number;
    /** Default: `false`. */
    turnstile?: boolean;
    block_words?: string[];
  };
  /** Default: `365`. */
  retention_days?: number;
  /** After so many accepted submissions it is closed. One that is deleted gives no place back; one that is marked as spam does. */
  limit?: number;
  closes_at?: string;
  /** Default: `false`. */
  one_per_email?: boolean;
  contact?: {
    /** Default: `false`. */
    create?: boolean;
    /** Which field's answer becomes which part of the contact. */
    map?: {
      name?: string;
      email?: string;
      phone?: string;
      custom?: Record<string, string>;
    };
    tags?: string[];
  };
}

export interface FormField {
  /** Stays when labels change: answers are kept by it. */
  id: string;
  type:
    | "text"
    | "email"
    | "phone"
    | "textarea"
    | "number"
    | "date"
    | "select"
    | "multi_select"
    | "checkbox"
    | "consent"
    | "hidden";
  /** At most 120 characters; 1,000 for a consent or a checkbox. */
  label: string;
  /** Default: `false`. */
  required?: boolean;
  placeholder?: string;
  /** Of a select or multi_select. */
  options?: string[];
  /** Of a text (200 if left out) or a textarea (2,000). */
  max_length?: number;
  /** What a hidden field sends. */
  value?: string;
}

export interface CreateContactCardBlock {
  type: "contact_card";
  enabled?: boolean;
  settings: ContactCardBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface ContactCardBlock {
  name: string;
  job_title?: string;
  organization?: string;
  photo?: PagePicture;
  phones?: string[];
  emails?: string[];
  website?: string;
  address?: {
    street?: string;
    city?: string;
    region?: string;
    postal_code?: string;
    country?: string;
  };
  note?: string;
}

export interface CreateEventBlock {
  type: "event";
  enabled?: boolean;
  settings: EventBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface EventBlock {
  title: string;
  description?: string;
  starts_at: string;
  ends_at?: string;
  location?: {
    name?: string;
    address?: string;
  };
  url?: string;
  /** On the button that leads to `url`. */
  url_label?: string;
}

export interface CreateCountdownBlock {
  type: "countdown";
  enabled?: boolean;
  settings: CountdownBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface CountdownBlock {
  title: string;
  ends_at: string;
  /** Shown once the moment has come. */
  done_text?: string;
}

export interface CreateFaqBlock {
  type: "faq";
  enabled?: boolean;
  settings: FaqBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface FaqBlock {
  title?: string;
  items: {
    question: string;
    /** CommonMark. At most 10 lists and quotes begin in each other on a line; 250 lines, 70 links, 60 runs of backticks or 500 other formatting characters are the most, together in proportion. */
    answer: string;
  }[];
}

export interface CreateTestimonialsBlock {
  type: "testimonials";
  enabled?: boolean;
  settings: TestimonialsBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface TestimonialsBlock {
  title?: string;
  items: {
    quote: string;
    name: string;
    role?: string;
    photo?: PagePicture;
    rating?: number;
  }[];
}

export interface CreateProductsBlock {
  type: "products";
  enabled?: boolean;
  settings: ProductsBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

/** Exactly one of `collection` and `products`. */
export interface ProductsBlock {
  title?: string;
  /** Its first 24 products are shown. */
  collection?: string;
  products?: string[];
  layout?: "grid" | "list";
}

export interface CreateLocationBlock {
  type: "location";
  enabled?: boolean;
  settings: LocationBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface LocationBlock {
  name?: string;
  address: string;
  /** When it is open; each line on its own. */
  hours?: string;
  latitude?: number;
  longitude?: number;
  map?: "openstreetmap" | "google" | "apple";
}

export interface CreateFileBlock {
  type: "file";
  enabled?: boolean;
  settings: FileBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface FileBlock {
  file: string;
  label: string;
  description?: string;
}

export interface CreatePostsBlock {
  type: "posts";
  enabled?: boolean;
  settings: PostsBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PostsBlock {
  title?: string;
  count: number;
}

/** Fields left out keep their values; `theme` is replaced as a whole. */
export interface UpdatePage {
  handle?: string;
  /** A verified custom domain of the workspace; null: the platform's host. */
  domain?: string | null;
  title?: string;
  language?: string;
  time_zone?: string;
  profile?: PageProfileInput;
  theme?: PageTheme;
  seo?: PageSeoInput;
  settings?: PageSettingsInput;
  /** `paused` takes a published page off line, `published` puts it back, as it was published. Permission: `biolinks:pages:publish`. */
  status?: "published" | "paused";
}

export interface DuplicatePage {
  /** Left out: the page's with `-2` or the next number that is free. */
  handle?: string;
  title?: string;
}

export type PageBlock = PageVersionBlock & {
  /** Changes on every write; also the `ETag`. */
  revision: string;
  created_at: string;
  updated_at: string;
};

/** As its type has them. */
export type PageBlockSettings =
  | LinkBlock
  | HeadingBlock
  | TextBlock
  | DividerBlock
  | ImageBlock
  | GalleryBlock
  | EmbedBlock
  | SocialBlock
  | {
      channel: "whatsapp";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "telegram";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "messenger";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "sms";
      to: string;
      label?: string;
      text?: string;
    }
  | {
      channel: "email";
      to: string;
      label?: string;
      text?: string;
    }
  | FormBlock
  | ContactCardBlock
  | EventBlock
  | CountdownBlock
  | FaqBlock
  | TestimonialsBlock
  | ProductsBlock
  | LocationBlock
  | FileBlock
  | PostsBlock;

/** Null: always, to everybody. */
export type ShownBlockVisibility = {
  starts_at: string | null;
  ends_at: string | null;
  countries:
    | {
        in: string[];
      }
    | {
        not_in: string[];
      }
    | null;
  devices: ("mobile" | "tablet" | "desktop")[] | null;
} | null;

export interface PageVersionBlock {
  id: string;
  type:
    | "link"
    | "heading"
    | "text"
    | "divider"
    | "image"
    | "gallery"
    | "embed"
    | "social"
    | "messaging"
    | "form"
    | "contact_card"
    | "event"
    | "countdown"
    | "faq"
    | "testimonials"
    | "products"
    | "location"
    | "file"
    | "posts";
  enabled: boolean;
  settings: PageBlockSettings;
  visibility: ShownBlockVisibility;
}

export interface PutBlocks {
  blocks: (
    | PutLinkBlock
    | PutHeadingBlock
    | PutTextBlock
    | PutDividerBlock
    | PutImageBlock
    | PutGalleryBlock
    | PutEmbedBlock
    | PutSocialBlock
    | PutMessagingBlock
    | PutFormBlock
    | PutContactCardBlock
    | PutEventBlock
    | PutCountdownBlock
    | PutFaqBlock
    | PutTestimonialsBlock
    | PutProductsBlock
    | PutLocationBlock
    | PutFileBlock
    | PutPostsBlock
  )[];
}

export interface PutLinkBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "link";
  enabled?: boolean;
  settings: LinkBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutHeadingBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "heading";
  enabled?: boolean;
  settings: HeadingBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutTextBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "text";
  enabled?: boolean;
  settings: TextBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutDividerBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "divider";
  enabled?: boolean;
  settings: DividerBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutImageBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "image";
  enabled?: boolean;
  settings: ImageBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutGalleryBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "gallery";
  enabled?: boolean;
  settings: GalleryBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutEmbedBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "embed";
  enabled?: boolean;
  settings: EmbedBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutSocialBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "social";
  enabled?: boolean;
  settings: SocialBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutMessagingBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "messaging";
  enabled?: boolean;
  settings: MessagingBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutFormBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "form";
  enabled?: boolean;
  settings: FormBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutContactCardBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "contact_card";
  enabled?: boolean;
  settings: ContactCardBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutEventBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "event";
  enabled?: boolean;
  settings: EventBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutCountdownBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "countdown";
  enabled?: boolean;
  settings: CountdownBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutFaqBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "faq";
  enabled?: boolean;
  settings: FaqBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutTestimonialsBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "testimonials";
  enabled?: boolean;
  settings: TestimonialsBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutProductsBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "products";
  enabled?: boolean;
  settings: ProductsBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutLocationBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "location";
  enabled?: boolean;
  settings: LocationBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutFileBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "file";
  enabled?: boolean;
  settings: FileBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutPostsBlock {
  /** Of a block that the page has: it keeps its id, and its type. Left out: a new one. */
  id?: string;
  type: "posts";
  enabled?: boolean;
  settings: PostsBlock;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PutBlockOrder {
  /** The id of each block, once. */
  order: string[];
}

export interface UpdateBlock {
  enabled?: boolean;
  /** Fields that are left out keep their values, one that is null goes. What comes of it must fit the block's type, which stays. */
  settings?: Record<string, unknown>;
  /** When and to whom it is shown; replaces what was set. Null: always, to everybody. */
  visibility?: BlockVisibility | null;
}

export interface PagePreview {
  url: string;
  expires_at: string;
}

export interface PageVersionSummary {
  version: number;
  /** Whether visitors get it, or would if the page were not paused. */
  is_published: boolean;
  /** Of its document. */
  bytes: number;
  created_at: string;
}

export type PageVersion = PageVersionSummary & {
  title: string;
  language: string;
  time_zone: string;
  profile: PageProfile;
  theme: PageTheme;
  seo: PageSeo;
  settings: {
    sensitive_content: boolean;
    pixels: string[];
    utm: {
      source?: string;
      medium?: string;
      campaign?: string;
    };
  };
  /** In their order. */
  blocks: PageVersionBlock[];
};

export interface PageBlockTypes {
  data: PageBlockType[];
  limits: {
    /** Of a page. */
    blocks: number;
    /** Of a page with its blocks. */
    document_bytes: number;
  };
}

export interface PageBlockType {
  type: string;
  description: string;
  /** JSON Schema of a block's `settings`. */
  schema: Record<string, unknown>;
  /** Such settings. */
  sample: Record<string, unknown>;
}

export interface PageThemes {
  data: PageThemePreset[];
  /** JSON Schema of a page's `theme`. */
  schema: Record<string, unknown>;
  /** Such a theme. */
  sample: Record<string, unknown>;
  limits: {
    /** Of a text and what lies behind it. */
    text_contrast: number;
    /** Of a control's edge. */
    edge_contrast: number;
  };
}

export interface PageThemePreset {
  name: string;
  description: string;
  light: Record<string, string>;
  dark: Record<string, string>;
  background: Record<string, unknown>;
  button: string;
  radius: number;
  font: string;
  align: string;
  density: string;
}

export interface Product {
  id: string;
  /** Changes on every write; also the `ETag`. */
  revision: string;
  external_id: string;
  title: string;
  description: string | null;
  url: string | null;
  image:
    | {
        file: string;
      }
    | {
        url: string;
      }
    | null;
  additional_images: (
    | {
        file: string;
      }
    | {
        url: string;
      }
  )[];
  price: {
    amount: number;
    currency: string;
  } | null;
  sale_price: {
    amount: number;
    currency: string;
  } | null;
  sale_starts_at: string | null;
  sale_ends_at: string | null;
  availability: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
  condition: "new" | "refurbished" | "used";
  brand: string | null;
  gtin: string | null;
  mpn: string | null;
  item_group_id: string | null;
  google_product_category: string | null;
  product_type: string | null;
  labels: string[];
  status: "active" | "hidden";
  created_at: string;
  updated_at: string;
}

export interface CreateProduct {
  /** Your own name for it, unique in the workspace; left out: the product's id. */
  external_id?: string;
  title: string;
  description?: string | null;
  /** Where it is sold: what a click leads to. */
  url?: string | null;
  image?: ProductImageInput | null;
  additional_images?: ProductImageInput[];
  price?: Money | null;
  /** Less than the price, in its currency. It holds from `sale_starts_at` to `sale_ends_at`. */
  sale_price?: Money | null;
  sale_starts_at?: string | null;
  sale_ends_at?: string | null;
  /** Of a new product `in_stock`. */
  availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
  /** Of a new product `new`. */
  condition?: "new" | "refurbished" | "used";
  brand?: string | null;
  gtin?: string | null;
  mpn?: string | null;
  item_group_id?: string | null;
  google_product_category?: string | null;
  product_type?: string | null;
  labels?: string[];
  /** A new product is `active`; no page shows a hidden one. */
  status?: "active" | "hidden";
}

/** Pages show pictures that are files of the workspace; an address elsewhere stands in feeds only, as pages load nothing foreign. */
export type ProductImageInput =
  | {
      /** A picture of the workspace's files. */
      file: string;
    }
  | {
      /** An absolute http or https URL without credentials. */
      url: string;
    };

export interface Money {
  /** In minor units: 1250 is 12.50 EUR, 1250 JPY or 1.250 KWD. */
  amount: number;
  /** ISO 4217, in any case. */
  currency: string;
}

/** Fields left out keep their values. */
export interface UpdateProduct {
  /** Your own name for it, unique in the workspace; left out: the product's id. */
  external_id?: string;
  title?: string;
  description?: string | null;
  /** Where it is sold: what a click leads to. */
  url?: string | null;
  image?: ProductImageInput | null;
  additional_images?: ProductImageInput[];
  price?: Money | null;
  /** Less than the price, in its currency. It holds from `sale_starts_at` to `sale_ends_at`. */
  sale_price?: Money | null;
  sale_starts_at?: string | null;
  sale_ends_at?: string | null;
  /** Of a new product `in_stock`. */
  availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
  /** Of a new product `new`. */
  condition?: "new" | "refurbished" | "used";
  brand?: string | null;
  gtin?: string | null;
  mpn?: string | null;
  item_group_id?: string | null;
  google_product_category?: string | null;
  product_type?: string | null;
  labels?: string[];
  /** A new product is `active`; no page shows a hidden one. */
  status?: "active" | "hidden";
}

export type Collection = CollectionSummary & {
  /** In their order, hidden ones too; none with a rule. Deleted ones are not in it. */
  products: string[];
};

export interface CollectionSummary {
  id: string;
  /** Changes on every write; also the `ETag`. */
  revision: string;
  name: string;
  slug: string;
  description: string | null;
  /** Null: it lists its products. */
  rule: {
    availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
    brand?: string;
    product_type?: string;
    label?: string;
  } | null;
  /** Of the products that it lists; 0 with a rule. A deletion of one lowers it. */
  products_count: number;
  created_at: string;
  updated_at: string;
}

/** At most one of `products` and `rule`; a rule of null and an empty list beside a rule are none. */
export interface CreateCollection {
  name: string;
  /** Unique in the workspace, kept in lower case; left out, it is made of the name. */
  slug?: string;
  description?: string | null;
  products?: string[];
  rule?: CollectionRule | null;
}

/** The products that have all of this, letter by letter, newest first: of the 2,000 newest that have its label (or else product type, brand, availability). */
export interface CollectionRule {
  availability?: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
  brand?: string;
  product_type?: string;
  label?: string;
}

/** Fields left out keep their values. `rule` takes the place of `products`, and the other way round; a rule of null takes it away. A rule of null and an empty list beside a rule say nothing more, so a collection may be sent as it was answered. */
export interface UpdateCollection {
  name?: string;
  /** Unique in the workspace, kept in lower case; left out, it is made of the name. */
  slug?: string;
  description?: string | null;
  products?: string[];
  rule?: CollectionRule | null;
}

export interface ProductImport {
  id: string;
  /** `done`: all rows were looked at, also if some of them failed. `failed`: it could not go on, and `message` says why; what was written by then stays. */
  status: "queued" | "running" | "done" | "failed";
  mode: "upsert" | "replace";
  dry_run: boolean;
  counts: {
    /** Of the file, without empty ones. */
    rows: number;
    created: number;
    updated: number;
    unchanged: number;
    failed: number;
    /** Products that the file does not name. */
    deleted: number;
  };
  /** What is wrong with rows that failed: the first 1,000. */
  errors: ProductImportError[];
  /** Columns that mean nothing here: the first 50. */
  ignored_columns: string[];
  message: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface ProductImportError {
  /** As spreadsheets count: the names of the columns are row 1. */
  row: number;
  /** The column, as the file names it. */
  field: string;
  message: string;
}

/** Whoever has one of the addresses gets the feed, without a key. */
export interface FeedAddress {
  csv_url: string;
  rss_url: string;
  created_at: string;
}

export interface PixelProviderDescription {
  provider: PixelProvider;
  name: string;
  /** A regular expression (ECMAScript). */
  tag_pattern: string;
  /** The same in words. */
  tag_rule: string;
  tag_example: string;
  /** Whether a visitor's browser can tell it, by an image of the provider's own. */
  has_beacon: boolean;
  /** Whether it can be told by its server API: with an `access_token`. */
  has_server_events: boolean;
  /** Whether a pixel does nothing until it has an `access_token`. */
  needs_access_token: boolean;
}

export type PixelProvider = "meta" | "google_ads" | "linkedin" | "pinterest" | "ga4";

export interface Pixel {
  id: string;
  revision: string;
  name: string;
  provider: PixelProvider;
  tag: string;
  enabled: boolean;
  consent: "required" | "not_required";
  /** Whether the provider's server API is told of visits. */
  has_access_token: boolean;
  created_at: string;
  updated_at: string;
}

export interface CreatePixel {
  name: string;
  provider: PixelProvider;
  /** The id that the provider gave you. `GET /catalogue/pixel-providers` says what it looks like. */
  tag: string;
  /** A new pixel is enabled. One that is not fires nowhere, and stays with its links and pages. */
  enabled?: boolean;
  /** A new pixel's is `required`: where the law asks for it (the EEA, the UK, Switzerland, and where a visitor's country is unknown), it fires for those only who accepted. */
  consent?: "required" | "not_required";
  /** Write-only, stored encrypted, never returned: opens the provider's server API, for `meta` and `ga4` only. Null removes it; blank: as if left out. */
  access_token?: string | null;
}

/** Fields left out keep their values. */
export interface UpdatePixel {
  name?: string;
  /** May be sent as it is; it cannot be changed. */
  provider?: PixelProvider;
  tag?: string;
  /** A new pixel is enabled. One that is not fires nowhere, and stays with its links and pages. */
  enabled?: boolean;
  /** A new pixel's is `required`: where the law asks for it (the EEA, the UK, Switzerland, and where a visitor's country is unknown), it fires for those only who accepted. */
  consent?: "required" | "not_required";
  /** Write-only, stored encrypted, never returned: opens the provider's server API, for `meta` and `ga4` only. Null removes it; blank: as if left out. */
  access_token?: string | null;
}

export interface QrCodePreview {
  /** Whether the code holds an address of ours: then its target may be changed, and its scans are counted. A static code holds everything itself, and is not counted. */
  dynamic: boolean;
  /** What the code would hold; a dynamic one has `00000000` for its code. */
  payload: string;
  /** What may keep the code from being read, although it is allowed. */
  warnings: {
    code: "low_contrast" | "transparent_background";
    message: string;
  }[];
  /** The code as SVG. */
  svg: string;
}

export interface PreviewQrCode {
  target: QrTarget;
  style?: QrStyleInput;
}

/** `link`, `page` and `url` are dynamic: the code holds an address of ours that leads there, so the target may be changed when the code is printed, and scans are counted. All others are static: the code itself holds everything, is not counted, and what is printed stays as it is. */
export type QrTarget =
  | QrLinkTarget
  | QrPageTarget
  | QrUrlTarget
  | QrTextTarget
  | QrWifiTarget
  | QrVcardTarget
  | QrEmailTarget
  | QrSmsTarget
  | QrPhoneTarget;

/** A short link of the workspace: its own rules apply. */
export interface QrLinkTarget {
  type: "link";
  link: string;
}

/** A page of the workspace, published or not yet: its own rules apply. */
export interface QrPageTarget {
  type: "page";
  page: string;
}

export interface QrUrlTarget {
  type: "url";
  url: string;
}

export interface QrTextTarget {
  type: "text";
  text: string;
}

export interface QrWifiTarget {
  type: "wifi";
  ssid: string;
  password?: string | null;
  /** `WPA` is WPA2 and WPA3, too. Default: `"WPA"`. */
  security?: "WPA" | "WEP" | "nopass";
  /** Default: `false`. */
  hidden?: boolean;
}

export interface QrVcardTarget {
  type: "vcard";
  first_name?: string | null;
  last_name?: string | null;
  organization?: string | null;
  job_title?: string | null;
  phone?: string | null;
  email?: string | null;
  website?: string | null;
  street?: string | null;
  city?: string | null;
  region?: string | null;
  postal_code?: string | null;
  country?: string | null;
  note?: string | null;
}

export interface QrEmailTarget {
  type: "email";
  to: string;
  subject?: string | null;
  body?: string | null;
}

export interface QrSmsTarget {
  type: "sms";
  phone: string;
  message?: string | null;
}

export interface QrPhoneTarget {
  type: "phone";
  phone: string;
}

/** A new code is black on white, square, with a margin of 4, error correction M, compact. The foreground must be the darker, with a contrast of at least 3 : 1. */
export interface QrStyleInput {
  foreground?: string;
  /** Null: transparent. */
  background?: string | null;
  shape?: "square" | "rounded" | "dots";
  /** The id of a file: a PNG of at most 64 KiB and 1,024 by 1,024 pixels. It is drawn in the middle, at most 20 % of the width, and the code has error correction H then, whatever `error_correction` says. Null: none. */
  logo?: string | null;
  /** The quiet zone around the code, in modules. */
  margin?: number;
  error_correction?: "L" | "M" | "Q" | "H";
  /** False: the address in lower case, which needs a denser code. For dynamic codes only. */
  compact?: boolean;
}

export interface QrCode {
  id: string;
  /** Changes on every write; also the `ETag`. */
  revision: string;
  name: string;
  /** 8 of Crockford's base32, matched without regard to case; null: the code is static. */
  code: string | null;
  /** Whether the code holds an address of ours: then its target may be changed, and its scans are counted. A static code holds everything itself, and is not counted. */
  dynamic: boolean;
  target: QrTarget;
  /** What the code holds. */
  payload: string;
  style: QrStyle;
  /** What may keep the code from being read, although it is allowed. */
  warnings: {
    code: "low_contrast" | "transparent_background";
    message: string;
  }[];
  /** A paused code leads nowhere. A static one is active. */
  status: "active" | "paused";
  /** The code as PNG of 1,024 pixels, open to everybody, for as long as this is its revision; as SVG with `.svg` at its end. */
  image_url: string;
  created_at: string;
  updated_at: string;
}

export interface QrStyle {
  foreground: string;
  background: string | null;
  shape: "square" | "rounded" | "dots";
  logo: string | null;
  margin: number;
  error_correction: "L" | "M" | "Q" | "H";
  compact: boolean;
}

export interface CreateQrCode {
  name: string;
  target: QrTarget;
  style?: QrStyleInput;
  /** A new code is active. */
  status?: "active" | "paused";
}

/** Fields left out keep their values, those of `style` too. A dynamic code stays dynamic, a static one static. */
export interface UpdateQrCode {
  name?: string;
  target?:
    | QrLinkTarget
    | QrPageTarget
    | QrUrlTarget
    | QrTextTarget
    | QrWifiTarget
    | QrVcardTarget
    | QrEmailTarget
    | QrSmsTarget
    | QrPhoneTarget;
  style?: QrStyleInput;
  status?: "active" | "paused";
}

export interface File {
  id: string;
  /** Open to everybody, and never anything else: it is named by its content. The same path is served on the workspace's own domains. */
  url: string;
  /** As its bytes say. */
  type: "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "image/avif" | "application/pdf";
  /** As it is served. */
  bytes: number;
  /** In pixels, as it is seen: turned as the image says. Null for a PDF. */
  width: number | null;
  height: number | null;
  created_at: string;
}

export interface Submission {
  id: string;
  /** Changes on every write; also the `ETag`. */
  revision: string;
  /** May be deleted since. */
  page: string;
  /** May be deleted since. */
  block: string;
  /** What its form is called, or was when it was deleted; null once its page is deleted. */
  block_name: string | null;
  page_version: number;
  status: "accepted" | "held" | "spam";
  /** Why it was held, or is spam. They stay when it is released. */
  spam_reasons: (
    | "honeypot"
    | "too_fast"
    | "turnstile_refused"
    | "turnstile_unavailable"
    | "duplicate"
    | "blocked_words"
    | "too_many_links"
    | "marked"
  )[];
  /** By field id; what was not answered is not in it. */
  answers: Record<string, string | number | boolean | string[]>;
  /** As the visitor saw them. */
  fields: SubmittedField[];
  consents: SubmittedConsent[];
  /** The contact that it made or was added to; it may be deleted since. */
  contact: string | null;
  country: string | null;
  referrer_host: string | null;
  utm: {
    source?: string;
    medium?: string;
    campaign?: string;
  };
  is_read: boolean;
  is_starred: boolean;
  created_at: string;
}

export interface SubmittedField {
  id: string;
  type:
    | "text"
    | "email"
    | "phone"
    | "textarea"
    | "number"
    | "date"
    | "select"
    | "multi_select"
    | "checkbox"
    | "consent"
    | "hidden";
  label: string;
  required: boolean;
}

/** Only consents that were given. */
export interface SubmittedConsent {
  field: string;
  /** What was consented to, as it was shown. */
  text: string;
  /** SHA-256 of the text, in hex. */
  hash: string;
  given_at: string;
}

export interface BulkDeleteSubmissions {
  ids: string[];
}

export interface EraseSubmissions {
  email: string;
}

/** Fields left out keep their values. */
export interface UpdateSubmission {
  is_read?: boolean;
  is_starred?: boolean;
}

/** Has `start` with `interval`, the fields of `group_by` (null: not known; `(other)`: more values than are kept apart, as `meta.unattributed` counts them; `(address)`: of a page whose host is an IP address), and those of `metrics`. */
export interface AnalyticsRow {
  /** When it begins, with the time zone's offset at that time. */
  start?: string;
  link?: string | null;
  page?: string | null;
  block?: string | null;
  qr_code?: string | null;
  product?: string | null;
  domain?: string | null;
  country?: string | null;
  region?: string | null;
  device?: string | null;
  browser?: string | null;
  os?: string | null;
  language?: string | null;
  referrer?: string | null;
  utm_source?: string | null;
  utm_medium?: string | null;
  utm_campaign?: string | null;
  trigger?: string | null;
  /** With `block`: what that is called, or was when it was deleted; null once its page is deleted. */
  block_name?: string | null;
  /** With `product`: its title; null once it is deleted. */
  product_name?: string | null;
  views?: number;
  visitors?: number;
  clicks?: number;
  scans?: number;
  submissions?: number;
  ctr?: number | null;
  /** With `compare`: the same of the range before, in the stretch of time that answers to the row's; `start` is when that begins. Null where the range before had no such hour or day. */
  previous?: {
    /** When it begins, with the time zone's offset at that time. */
    start?: string;
    views?: number;
    visitors?: number;
    clicks?: number;
    scans?: number;
    submissions?: number;
    ctr?: number | null;
  } | null;
}

export interface RealtimeCounts {
  views: number;
  clicks: number;
  scans: number;
  submissions: number;
}

export interface Contact {
  id: string;
  revision: string;
  /** Your own id of the contact. */
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat" | null;
  stage: string | null;
  tags: string[];
  country: string | null;
  language: string | null;
  custom: Record<string, string | number | boolean>;
  status: "active" | "opted_out" | "blocked";
  last_active_at: string | null;
  last_inbound_at: string | null;
  /** Until then free text may be sent on whatsapp, instagram and messenger; null if the contact never wrote. */
  window_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Fields left out keep their values. A contact has at least one of `name`, `email`, `phone` and `external_id`, and is at most 16 KB: 16,384 bytes of JSON, in UTF-8 and without `revision` and times. */
export interface ContactInput {
  external_id?: string | null;
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  /** Its events are on this channel; those of a contact without one on `webchat`. */
  channel?:
    | "whatsapp"
    | "instagram"
    | "messenger"
    | "telegram"
    | "sms"
    | "email"
    | "webchat"
    | null;
  /** The id of a stage. */
  stage?: string | null;
  /** Ids of tags; replaces those that the contact has. */
  tags?: string[];
  country?: string | null;
  language?: string | null;
  /** Fields of your own, of any name but `__proto__`; those left out keep their values. At most 50, with those that are kept. */
  custom?: Record<string, string | number | boolean | null>;
  status?: "active" | "opted_out" | "blocked";
  last_active_at?: string | null;
  /** When the contact last wrote, which opens its messaging window. */
  last_inbound_at?: string | null;
}

export interface ImportedRow {
  /** The row's place, from 0. */
  row: number;
  status: "created" | "updated" | "failed";
  id: string | null;
  errors?: Record<string, string[]>;
}

export interface ImportContacts {
  /** Up to 500 rows; each is judged on its own. */
  contacts: ContactInput[];
}

/** That a contact is erased. It holds no data of the person. */
export interface Erasure {
  contact: string;
  status: "running" | "finished";
  created_at: string;
  finished_at: string | null;
}

/** A tag or a stage. */
export interface Label {
  id: string;
  revision: string;
  /** Unique in the workspace, whatever its case. */
  name: string;
  created_at: string;
  updated_at: string;
}

export interface CreateLabel {
  name: string;
}

export interface UpdateLabel {
  name?: string;
}

export interface SegmentField {
  field: string;
  types: ("text" | "choice" | "set" | "number" | "date" | "boolean")[];
  operators: SegmentOperator[];
  /** The only ones there are. */
  values: string[] | null;
}

/** `GET /api/v1/segments/fields` says which of them a field has. There may be others. */
export type SegmentOperator =
  | "eq"
  | "neq"
  | "contains"
  | "not_contains"
  | "starts_with"
  | "ends_with"
  | "is_empty"
  | "is_not_empty"
  | "in"
  | "not_in"
  | "has_any"
  | "has_all"
  | "has_none"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "between"
  | "before"
  | "after"
  | "within_last"
  | "more_than_ago"
  | (string & {});

/** A group whose rules were all dropped stays, empty. An `any` group without rules is met by nobody, an `all` group without rules is passed over; where no group has a rule, nobody is met. */
export type SegmentConditions = {
  match: "all" | "any";
  groups: {
    match: "all" | "any";
    rules: {
      field: string;
      op: SegmentOperator;
      value?: unknown;
    }[];
  }[];
} | null;

export interface PreviewSegment {
  name?: string;
  /** The id of a stage. */
  stage?: string | null;
  /** The contact has all of these tags. */
  include_tags?: string[];
  /** The contact has none of these tags. */
  exclude_tags?: string[];
  /** Days since the contact was last active, or was made if it never was. */
  min_days_inactive?: number | null;
  conditions?: SegmentConditionsInput | null;
}

/** Rules that are not understood are dropped, and listed in `dropped_rules`. `GET /api/v1/segments/fields` says which are. */
export type SegmentConditionsInput = {
  match?: "all" | "any";
  groups?: {
    match?: "all" | "any";
    rules?: SegmentRule[];
    [name: string]: unknown;
  }[];
  [name: string]: unknown;
};

/** Its field and its operator say what its `value` is. */
export type SegmentRule =
  | SegmentTextRule
  | SegmentEmptyRule
  | SegmentChannelRule
  | SegmentChannelListRule
  | SegmentCountryRule
  | SegmentCountryListRule
  | SegmentLanguageRule
  | SegmentLanguageListRule
  | SegmentStatusRule
  | SegmentStatusListRule
  | SegmentStageRule
  | SegmentStageListRule
  | SegmentTagsRule
  | SegmentDateRule
  | SegmentDateRangeRule
  | SegmentDateSpanRule
  | SegmentCustomTextRule
  | SegmentCustomEmptyRule
  | SegmentCustomNumberRule
  | SegmentCustomNumberRangeRule
  | SegmentCustomBooleanRule;

export interface SegmentTextRule {
  field: "name" | "email" | "phone";
  op: "eq" | "neq" | "contains" | "not_contains" | "starts_with" | "ends_with";
  value: string;
}

export interface SegmentEmptyRule {
  field:
    | "name"
    | "email"
    | "phone"
    | "channel"
    | "country"
    | "language"
    | "status"
    | "stage"
    | "tags"
    | "created_at"
    | "updated_at"
    | "last_active_at"
    | "last_inbound_at";
  op: "is_empty" | "is_not_empty";
}

export interface SegmentChannelRule {
  field: "channel";
  op: "eq" | "neq";
  value: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
}

export interface SegmentChannelListRule {
  field: "channel";
  op: "in" | "not_in";
  value: ("whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat")[];
}

export interface SegmentCountryRule {
  field: "country";
  op: "eq" | "neq";
  value: string;
}

export interface SegmentCountryListRule {
  field: "country";
  op: "in" | "not_in";
  value: string[];
}

export interface SegmentLanguageRule {
  field: "language";
  op: "eq" | "neq";
  value: string;
}

export interface SegmentLanguageListRule {
  field: "language";
  op: "in" | "not_in";
  value: string[];
}

export interface SegmentStatusRule {
  field: "status";
  op: "eq" | "neq";
  value: "active" | "opted_out" | "blocked";
}

export interface SegmentStatusListRule {
  field: "status";
  op: "in" | "not_in";
  value: ("active" | "opted_out" | "blocked")[];
}

export interface SegmentStageRule {
  field: "stage";
  op: "eq" | "neq";
  value: string;
}

export interface SegmentStageListRule {
  field: "stage";
  op: "in" | "not_in";
  value: string[];
}

export interface SegmentTagsRule {
  field: "tags";
  op: "has_any" | "has_all" | "has_none";
  value: string[];
}

export interface SegmentDateRule {
  field: "created_at" | "updated_at" | "last_active_at" | "last_inbound_at";
  op: "before" | "after";
  /** A date, as 2026-11-21, or a time, as 2026-11-21T08:00:00Z. */
  value: string;
}

export interface SegmentDateRangeRule {
  field: "created_at" | "updated_at" | "last_active_at" | "last_inbound_at";
  op: "between";
  value: [string, string];
}

export interface SegmentDateSpanRule {
  field: "created_at" | "updated_at" | "last_active_at" | "last_inbound_at";
  op: "within_last" | "more_than_ago";
  value: {
    n: number;
    unit: "hours" | "days" | "weeks" | "months";
  };
}

export interface SegmentCustomTextRule {
  /** `custom.` and the name of a field of your own. */
  field: `custom.${string}`;
  op: "eq" | "neq" | "contains" | "not_contains" | "starts_with" | "ends_with";
  value: string;
}

export interface SegmentCustomEmptyRule {
  /** `custom.` and the name of a field of your own. */
  field: `custom.${string}`;
  op: "is_empty" | "is_not_empty";
}

export interface SegmentCustomNumberRule {
  /** `custom.` and the name of a field of your own. */
  field: `custom.${string}`;
  op: "eq" | "neq" | "gt" | "gte" | "lt" | "lte";
  value: number;
}

export interface SegmentCustomNumberRangeRule {
  /** `custom.` and the name of a field of your own. */
  field: `custom.${string}`;
  op: "between";
  value: [number, number];
}

export interface SegmentCustomBooleanRule {
  /** `custom.` and the name of a field of your own. */
  field: `custom.${string}`;
  op: "eq" | "neq";
  value: boolean;
}

export interface Segment {
  id: string;
  revision: string;
  name: string;
  stage: string | null;
  include_tags: string[];
  exclude_tags: string[];
  min_days_inactive: number | null;
  conditions: SegmentConditions;
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
  /** How many contacts were in it at `counted_at`. Null: so many have to be looked at that the first count goes on behind the request. Does not change the `ETag`. */
  contacts_count: number | null;
  /** When they were counted last: mostly a minute or two after contacts changed. */
  counted_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface CreateSegment {
  name: string;
  /** The id of a stage. */
  stage?: string | null;
  /** The contact has all of these tags. */
  include_tags?: string[];
  /** The contact has none of these tags. */
  exclude_tags?: string[];
  /** Days since the contact was last active, or was made if it never was. */
  min_days_inactive?: number | null;
  conditions?: SegmentConditionsInput | null;
}

/** Fields left out keep their values. */
export interface UpdateSegment {
  name?: string;
  /** The id of a stage. */
  stage?: string | null;
  /** The contact has all of these tags. */
  include_tags?: string[];
  /** The contact has none of these tags. */
  exclude_tags?: string[];
  /** Days since the contact was last active, or was made if it never was. */
  min_days_inactive?: number | null;
  conditions?: SegmentConditionsInput | null;
}

export interface Message {
  id: string;
  contact: string;
  channel: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  direction: "outbound" | "inbound";
  text: string | null;
  template: {
    name: string;
    params: Record<string, string>;
  } | null;
  status: "queued" | "sent" | "failed" | "received";
  /** Why it failed. */
  reason: MessageFailure | null;
  sent_at: string | null;
  created_at: string;
  updated_at: string;
}

export type SendMessage = SendTextMessage | SendTemplateMessage;

export interface SendTextMessage {
  contact: string;
  /** Default: the contact's. */
  channel?: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  text: string;
  template?: never;
}

export interface SendTemplateMessage {
  contact: string;
  /** Default: the contact's. */
  channel?: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  template: MessageTemplate;
  text?: never;
}

/** A template that the channel's provider approved. */
export interface MessageTemplate {
  name: string;
  /** Default: `{}`. */
  params?: Record<string, string>;
}

export interface EventDescription {
  event: EventName;
  description: string;
  channels: ChannelName[];
  /** What a key needs to subscribe to this event. */
  permission: string;
  /** Whether this key has that permission. */
  subscribable: boolean;
  /** JSON Schema of the envelope's `data`. */
  schema: Record<string, unknown>;
  /** A sample of `data`. */
  sample: Record<string, unknown>;
}

/** `GET /api/v1/workspace-webhooks/events` tells what each is. There may be others. */
export type EventName =
  | "publishing.post.published"
  | "publishing.post.scheduled"
  | "publishing.post.failed"
  | "salesbot.contact.created"
  | "salesbot.contact.updated"
  | "salesbot.contact.deleted"
  | "salesbot.contact.tagged"
  | "salesbot.contact.opted_out"
  | "salesbot.message.queued"
  | "salesbot.message.sent"
  | "salesbot.message.failed"
  | "salesbot.message.received"
  | "biolinks.link.created"
  | "biolinks.link.updated"
  | "biolinks.link.deleted"
  | "biolinks.page.published"
  | "biolinks.page.unpublished"
  | "biolinks.product.updated"
  | "biolinks.product.deleted"
  | "biolinks.qr.scanned"
  | "biolinks.submission.received"
  | "biolinks.submission.held"
  | "workspace.endpoint.disabled"
  | "workspace.delivery.exhausted"
  | (string & {});

/** `GET /api/v1/workspace-webhooks/events` tells which channels an event has. There may be others. */
export type ChannelName =
  | "all"
  | "whatsapp"
  | "instagram"
  | "messenger"
  | "telegram"
  | "sms"
  | "email"
  | "webchat"
  | (string & {});

export type EndpointWithMetrics = Endpoint & {
  metrics: EndpointMetrics;
};

/** How the attempts of the last day went, tests and resends included. The revision does not cover it. */
export interface EndpointMetrics {
  /** What ended from then on is counted: the start of the hour 24 hours ago. */
  since: string;
  /** Attempts that were answered by a 2xx. */
  delivered: number;
  /** Attempts that ended otherwise, with an `error` in the delivery's history. */
  failed: number;
  /** How long attempts took that were answered, whatever the status: half of them, and 95 of a hundred, no longer than this. To within 10 %; null when none was. */
  response_time_ms: {
    p50: number | null;
    p95: number | null;
  };
}

export interface Endpoint {
  id: string;
  revision: string;
  name: string;
  url: string;
  enabled: boolean;
  /** Why Signpost paused the endpoint by itself: the receiver answered 410 (`gone`), failed for five days (`failing`) or asked for it; or we have lost the signing secret (`secret_unreadable`): rotate it, which also switches the endpoint on again. The event `workspace.endpoint.disabled` tells the workspace's other endpoints and hooks of it. */
  disabled_reason: "gone" | "failing" | "disabled_by_receiver" | "secret_unreadable" | null;
  subscriptions: {
    event: EventName;
    channel: ChannelName;
  }[];
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface CreateEndpoint {
  name: string;
  /** A public https address, on port 80, 443 or from 1024 on; neither this platform's own nor a domain that is connected to it. */
  url: string;
  /** Ignored: an endpoint is always created paused. */
  enabled?: boolean;
  subscriptions: Subscription[];
}

/** An event and a channel as `GET /events` lists them. */
export interface Subscription {
  event: EventName;
  channel: ChannelName;
}

/** Fields left out keep their values. */
export interface UpdateEndpoint {
  name?: string;
  url?: string;
  enabled?: boolean;
  /** Replaces the whole list. */
  subscriptions?: Subscription[];
}

/** `immediate`: the old secret ends at once; else both are valid for 24 hours. */
export interface RotateSecret {
  /** Default: `false`. */
  immediate?: boolean;
}

export interface Delivery {
  /** The `webhook-id` of all its attempts. */
  id: string;
  endpoint: string;
  event: EventName;
  event_id: string;
  channel: ChannelName;
  status: "pending" | "delivered" | "failed";
  test: boolean;
  resend_of: string | null;
  attempts_count: number;
  /** Null when there will be none, and while the delivery waits: for its feature to be switched on again, to be resumed, or until fewer of its endpoint wait. */
  next_attempt_at: string | null;
  /** Deliveries are listed by it. A resend counts from when it was first asked for. */
  created_at: string;
  delivered_at: string | null;
}

export type DeliveryDetail = Delivery & {
  /** The body that is sent; null once purged: after 7 days, or when its contact was erased. */
  payload: Record<string, unknown> | null;
  attempts: {
    number: number;
    started_at: string;
    duration_ms: number | null;
    status_code: number | null;
    /** Null when delivered or under way; else `timeout`, `dns_error`, `connection_refused`, `connection_failed`, `tls_error`, `redirect`, `bad_status`, `blocked_target`, `endpoint_paused`, `payload_purged` (too old, or of a contact that was erased), `interrupted` (a crash of ours: whether it was sent is not known), `secret_unreadable` (the endpoint's secret is lost: rotate it), `internal_error` (a fault of ours). */
    error: AttemptError | null;
    /** What was answered, by names in lower case; a header that came several times is one, with commas between. Without `Set-Cookie`, which is never kept, and what does not fit into 2 KiB any more. Null without an answer, once its contact was erased, and where it is longer than 500 characters and the workspace has no room. */
    response_headers: Record<string, string> | null;
    /** Its first 4 KiB; its first 200 characters where the workspace has no room. Null without an answer, or once its contact was erased. */
    response_body: string | null;
    /** Set off by a test or a resend. */
    manual: boolean;
  }[];
};

/** There may be others. */
export type AttemptError =
  | "timeout"
  | "dns_error"
  | "connection_refused"
  | "connection_failed"
  | "tls_error"
  | "redirect"
  | "bad_status"
  | "blocked_target"
  | "endpoint_paused"
  | "payload_purged"
  | "interrupted"
  | "secret_unreadable"
  | "internal_error"
  | (string & {});

export interface TestEndpoint {
  event: EventName;
}

export interface RecoveryPreview {
  dry_run: true;
  endpoint: string;
  since: string;
  /** How many would be sent again. */
  deliveries: number;
  /** It looked at as many as it may, the oldest and 10,000 at most, and there are more. */
  more: boolean;
}

export interface Recovery {
  id: string;
  endpoint: string;
  since: string;
  status: "running" | "finished";
  /** Deliveries sent again so far. */
  resent: number;
  created_at: string;
  finished_at: string | null;
}

export interface RecoverEndpoint {
  /** Deliveries whose `created_at` is this time, or later. */
  since: string;
  /** Only tells how many deliveries would be sent again. Default: `false`. */
  dry_run?: boolean;
}

export interface AutomationConnection {
  /** The workspace's. */
  id: string;
  workspace_name: string;
  key_name: string;
  events: {
    event: EventName;
    description: string;
    channels: ChannelName[];
  }[];
}

export interface AutomationHook {
  id: string;
  event: EventName;
  target_url: string;
  created_at: string;
}

/** Other fields, as platforms send them, are ignored. */
export type SubscribeHook = {
  /** A public https address as webhooks take it, of up to 2048 characters, also taken from `targetUrl`, `hookUrl`, `url`. Wrong in any way: `invalid_target_url`. */
  target_url: string;
  /** Wrong in any way: `unknown_event`, which is told first. */
  event: string;
  [name: string]: unknown;
};

/** Other fields, as platforms send them, are ignored. */
export type UnsubscribeHook = {
  /** The hook's id, also taken from `hook_id`, `hookId`, `subscription_id`, `subscriptionId`, `webhook_id`, `webhookId`, `externalHookId`, and from each of these in `data`, where `subscribe` answered it. */
  id: string;
  [name: string]: unknown;
};

/** The event's data with these fields, flat. */
export type HookPayload = {
  id: string;
  event: string;
  occurred_at: string;
  [name: string]: unknown;
};

export interface Member {
  id: string;
  email: string | null;
  role: Role;
  created_at: string;
  updated_at: string;
}

/** What a member's keys may do: what both the key and the role may. The table "Roles" at the top says what each role may. */
export type Role = "owner" | "admin" | "editor" | "viewer";

export interface Workspace {
  id: string;
  name: string;
  plan: "free" | "pro" | "business";
  status: "active" | "suspended";
  /** What the workspace may use. The endpoints of other features answer 404. */
  features: ("biolinks" | "salesbot" | "publishing" | "webhooks" | "automation")[];
  created_at: string;
  updated_at: string;
}

export interface CreateWorkspace {
  name: string;
  /** Default: `"free"`. */
  plan?: "free" | "pro" | "business";
  /** Default: `["biolinks","salesbot","publishing","webhooks","automation"]`. */
  features?: ("biolinks" | "salesbot" | "publishing" | "webhooks" | "automation")[];
}

export interface UpdateWorkspace {
  status?: "active" | "suspended";
  plan?: "free" | "pro" | "business";
  features?: ("biolinks" | "salesbot" | "publishing" | "webhooks" | "automation")[];
}

/** That a workspace is deleted. It is kept, and holds nothing of the workspace but its id. */
export interface WorkspaceDeletion {
  workspace: string;
  status: "running" | "finished";
  created_at: string;
  finished_at: string | null;
}

export interface Usage {
  links: number;
  pages: number;
  products: number;
  contacts: number;
  /** Contacts, links, pixels, QR codes, pages with their versions, what visitors sent in forms, products and their imports, collections, segments, tags, stages, messages, events, deliveries, and what is noted of files, with their indexes: an estimate, kept as they change. */
  stored_bytes: number;
  files: number;
  /** Of uploaded files, which count apart. */
  file_bytes: number;
  pending_deliveries: number;
  deliveries_this_hour: number;
  /** Of the workspace's plan; null: none. */
  limits: {
    stored_bytes: number | null;
    pages: number | null;
    products: number | null;
    files: number | null;
    file_bytes: number | null;
    deliveries_an_hour: number | null;
    pending_deliveries: number | null;
  };
  this_month: MonthOfUsage;
  last_month: MonthOfUsage;
}

export interface MonthOfUsage {
  /** In UTC. */
  month: string;
  /** People's. */
  clicks: number;
  /** Of webhooks and automation hooks, tests included. */
  deliveries: number;
  /** Outbound and inbound. */
  messages: number;
}

export interface OperatorOverview {
  workspaces: {
    /** Suspended ones too. */
    all: number;
    suspended: number;
  };
  links: number;
  pages: number;
  products: number;
  contacts: number;
  /** As each workspace's usage tells of it. */
  stored_bytes: number;
  files: number;
  /** Of uploaded files, which count apart. */
  file_bytes: number;
  pending_deliveries: number;
  this_month: MonthOfAll;
  last_month: MonthOfAll;
  /** What the database takes by its own account, with all that is no workspace's. D1 takes 10 GB at most; then writes fail. */
  database_bytes: number;
  /** What could never be processed, of the last 30 days. 1000: that many or more. */
  dead_letters: number;
  /** Visitors' reports that are open. 1000: that many or more. */
  open_reports: number;
  /** The ten that store most, the largest first. */
  largest: {
    workspace: string;
    name: string;
    plan: "free" | "pro" | "business";
    stored_bytes: number;
    pending_deliveries: number;
  }[];
}

export interface MonthOfAll {
  /** In UTC. */
  month: string;
  /** Of webhooks and automation hooks, tests included. */
  deliveries: number;
  /** Outbound and inbound. */
  messages: number;
}

export interface CreateMember {
  email: string;
  role: Role;
}

export interface UpdateMember {
  role: Role;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The last four characters of the key. */
  last_four: string;
  permissions: string[];
  member: string;
  expires_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface CreateApiKey {
  name: string;
  /** `["*"]`: everything that its member may do. */
  permissions:
    | "*"[]
    | (
        | "biolinks:links:read"
        | "biolinks:links:write"
        | "biolinks:domains:read"
        | "biolinks:domains:manage"
        | "biolinks:pixels:read"
        | "biolinks:pixels:write"
        | "biolinks:qr:read"
        | "biolinks:qr:write"
        | "biolinks:files:read"
        | "biolinks:files:write"
        | "biolinks:catalogue:read"
        | "biolinks:catalogue:write"
        | "biolinks:pages:read"
        | "biolinks:pages:write"
        | "biolinks:pages:publish"
        | "biolinks:submissions:read"
        | "biolinks:submissions:write"
        | "biolinks:analytics:read"
        | "salesbot:contacts:read"
        | "salesbot:contacts:write"
        | "salesbot:contacts:consent"
        | "salesbot:messages:send"
        | "salesbot:automation:hooks"
        | "biolinks:webhooks:subscribe"
        | "salesbot:webhooks:subscribe"
        | "publishing:webhooks:subscribe"
        | "workspace:webhooks:subscribe"
        | "webhooks:read"
        | "webhooks:write"
        | "webhooks:deliveries:read"
        | "webhooks:deliveries:retry"
      )[];
  /** Default: the workspace's owner. */
  member?: string;
  expires_at?: string | null;
}

export type WorkspaceHook = AutomationHook & {
  /** The key that it belongs to; null for one of before 2026-11-22. */
  key: string | null;
  /** False: it gets nothing, as its key was revoked, expired, or may not subscribe to it any more. */
  active: boolean;
};

export interface SwitchLink {
  disabled: boolean;
}

export interface SwitchedFile {
  id: string;
  /** Open to everybody, and never anything else: it is named by its content. The same path is served on the workspace's own domains. */
  url: string;
  /** As its bytes say. */
  type: "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "image/avif" | "application/pdf";
  /** As it is served. */
  bytes: number;
  /** In pixels, as it is seen: turned as the image says. Null for a PDF. */
  width: number | null;
  height: number | null;
  created_at: string;
  disabled: boolean;
}

export interface SwitchFile {
  disabled: boolean;
}

export interface SwitchPage {
  disabled: boolean;
}

export interface Report {
  id: string;
  status: ReportStatus;
  reason:
    | "phishing"
    | "malware"
    | "spam"
    | "impersonation"
    | "illegal"
    | "sexual_minors"
    | "violence"
    | "copyright"
    | "other";
  /** What the visitor wrote; may be empty. */
  details: string;
  /** Where the visitor found it. */
  url: string;
  /** Whose it is. */
  workspace: string;
  /** What stood there. It may be deleted since. */
  target: {
    type: "link" | "page";
    id: string;
  };
  /** The operator's own. */
  note: string | null;
  created_at: string;
  updated_at: string;
}

/** `resolved`: something was done about it. `dismissed`: there was nothing to do. */
export type ReportStatus = "open" | "resolved" | "dismissed";

export interface ChangeReport {
  status?: ReportStatus;
  note?: string | null;
}

export interface PublishEvent {
  id?: string;
  event: string;
  channel: string;
  /** As `GET /api/v1/workspace-webhooks/events` describes it, and no fields besides. */
  data: Record<string, unknown>;
}

export interface PublishEvents {
  events: PublishEvent[];
}

export interface InboundMessage {
  contact: string;
  /** Default: the contact's. */
  channel?: "whatsapp" | "instagram" | "messenger" | "telegram" | "sms" | "email" | "webchat";
  text: string;
  /** The message's id at its channel: the same one counts once. */
  external_id?: string;
}

export interface DeadLetter {
  id: string;
  /** The queue or the job that gave it up. */
  source: string;
  workspace: string | null;
  /** The message, or what names the record, as JSON. */
  body: string;
  fault: string;
  attempts: number;
  created_at: string;
}
