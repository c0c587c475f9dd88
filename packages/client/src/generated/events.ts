// Made by `npm run client` from the API description: change that, not this.

export interface WebhookEvents {
  /** A post went out. */
  "publishing.post.published": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "publishing.post.published";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      title: string | null;
      url: string | null;
      networks: string[];
      scheduled_at: string | null;
      published_at: string | null;
    };
  };
  /** A post was given a time to go out. */
  "publishing.post.scheduled": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "publishing.post.scheduled";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      title: string | null;
      url: string | null;
      networks: string[];
      scheduled_at: string | null;
      published_at: string | null;
    };
  };
  /** A post could not go out. */
  "publishing.post.failed": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "publishing.post.failed";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
  /** A contact was added; one with tags, or opted out, is told as that too. */
  "salesbot.contact.created": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.contact.created";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
  /** A contact was changed, or wrote. */
  "salesbot.contact.updated": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.contact.updated";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
  /** A contact was deleted; the data is what it was last. Of one that was erased, only its `id`. */
  "salesbot.contact.deleted": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.contact.deleted";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
  /** A contact was given tags or lost some, or was added with some. */
  "salesbot.contact.tagged": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.contact.tagged";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
  /** A contact asked for no more messages. */
  "salesbot.contact.opted_out": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.contact.opted_out";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
  /** A message was accepted for sending. */
  "salesbot.message.queued": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.message.queued";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
      reason: string | null;
      created_at: string;
    };
  };
  /** A message went out. */
  "salesbot.message.sent": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.message.sent";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
      reason: string | null;
      created_at: string;
    };
  };
  /** A message could not be sent. */
  "salesbot.message.failed": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.message.failed";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
      reason: string | null;
      created_at: string;
    };
  };
  /** A contact wrote. */
  "salesbot.message.received": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "salesbot.message.received";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
      reason: string | null;
      created_at: string;
    };
  };
  /** A short link was made. It is paused until a change makes it active. */
  "biolinks.link.created": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.link.created";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      slug: string;
      domain: string | null;
      public_url: string;
      title: string | null;
      destination: string | null;
      status: "active" | "paused";
      disabled: boolean;
      has_password: boolean;
      settings: {
        utm: {
          source?: string;
          medium?: string;
          campaign?: string;
        };
        forward_query: boolean;
        http_status: 301 | 302 | 303 | 307 | 308;
        sensitive_content: boolean;
        pixels: string[];
      };
      created_at: string;
      updated_at: string;
    };
  };
  /** A short link was changed, switched on or paused, or the operator switched it off or on again (`disabled`). Clicks are no change. A pixel that is deleted by force is a change of each link that used it, told when it is taken from it, within minutes. */
  "biolinks.link.updated": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.link.updated";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      slug: string;
      domain: string | null;
      public_url: string;
      title: string | null;
      destination: string | null;
      status: "active" | "paused";
      disabled: boolean;
      has_password: boolean;
      settings: {
        utm: {
          source?: string;
          medium?: string;
          campaign?: string;
        };
        forward_query: boolean;
        http_status: 301 | 302 | 303 | 307 | 308;
        sensitive_content: boolean;
        pixels: string[];
      };
      created_at: string;
      updated_at: string;
      changed: string[];
    };
  };
  /** A short link was deleted; the data is its id and the address that it had. */
  "biolinks.link.deleted": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.link.deleted";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      slug: string;
      domain: string | null;
      public_url: string;
    };
  };
  /** A version of a page went on line: it was published, or a paused page was put back. To publish what is on line already is no event. */
  "biolinks.page.published": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.page.published";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      handle: string;
      domain: string | null;
      public_url: string;
      title: string;
      version: number;
      published_at: string;
    };
  };
  /** A page that was on line is so no more: it was unpublished, paused or deleted. The operator's switch is no event. */
  "biolinks.page.unpublished": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.page.unpublished";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      handle: string;
      domain: string | null;
      public_url: string;
      title: string;
      version: number;
      reason: "unpublished" | "paused" | "deleted";
    };
  };
  /** A product was made or changed, by a request or an import. That a sale begins or ends by its times is no event. */
  "biolinks.product.updated": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.product.updated";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
      is_new: boolean;
      changed: string[];
    };
  };
  /** A product was deleted; the data is what it was called. */
  "biolinks.product.deleted": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.product.deleted";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      external_id: string;
      title: string;
    };
  };
  /** A QR code was scanned: all its scans of an hour, some minutes after its end, never an event for each. Scans that reach the count more than ten minutes after their hour are told with the next, so what is told adds up. */
  "biolinks.qr.scanned": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.qr.scanned";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      qr_code: string;
      name: string | null;
      scans: number;
      visitors: number;
      from: string;
      to: string;
    };
  };
  /** A visitor sent a form, and it was accepted; one that was held is told here once it is released. */
  "biolinks.submission.received": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.submission.received";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
        text: string;
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
  };
  /** A visitor sent a form, and somebody is to look at it: with its release it is received. */
  "biolinks.submission.held": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "biolinks.submission.held";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
        text: string;
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
  };
  /** Signpost paused a webhook endpoint by itself. The endpoint itself does not get this. */
  "workspace.endpoint.disabled": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "workspace.endpoint.disabled";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
    test: boolean;
    data: {
      id: string;
      name: string;
      host: string;
      reason: "gone" | "failing" | "disabled_by_receiver" | "secret_unreadable";
      disabled_at: string;
    };
  };
  /** A delivery to a webhook endpoint failed for good: its last attempt failed, or its receiver wants it no more. The endpoint itself does not get this; tests do not count, nor do deliveries of this event. */
  "workspace.delivery.exhausted": {
    /** The event's: the same in a resend, and at other endpoints. */
    id: string;
    type: "workspace.delivery.exhausted";
    /** When it happened. */
    timestamp: string;
    workspace: string;
    channel: string;
    /** Whether it is a test's, with a sample for `data`. */
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
  };
}

/** What a webhook's body holds: `type` tells which. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];
