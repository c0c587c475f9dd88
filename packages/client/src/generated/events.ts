// Made by `npm run client` from the API description: change that, not this.

import type * as T from "./types.ts";

export interface WebhookEvents {
  "publishing.post.published": {
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
  };
  "publishing.post.scheduled": {
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
  };
  "publishing.post.failed": {
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
  };
  "salesbot.contact.created": {
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
  };
  "salesbot.contact.updated": {
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
  };
  "salesbot.contact.deleted": {
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
  };
  "salesbot.contact.tagged": {
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
  };
  "salesbot.contact.opted_out": {
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
  };
  "salesbot.message.queued": {
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
      reason: T.MessageFailure | null;
      created_at: string;
    };
  };
  "salesbot.message.sent": {
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
      reason: T.MessageFailure | null;
      created_at: string;
    };
  };
  "salesbot.message.failed": {
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
      reason: T.MessageFailure | null;
      created_at: string;
    };
  };
  "salesbot.message.received": {
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
      reason: T.MessageFailure | null;
      created_at: string;
    };
  };
  "biolinks.link.created": {
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
        http_status: T.RedirectStatus;
        sensitive_content: boolean;
        pixels: string[];
      };
      created_at: string;
      updated_at: string;
    };
  };
  "biolinks.link.updated": {
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
        http_status: T.RedirectStatus;
        sensitive_content: boolean;
        pixels: string[];
      };
      created_at: string;
      updated_at: string;
      changed: string[];
    };
  };
  "biolinks.link.deleted": {
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
  };
  "biolinks.page.published": {
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
  };
  "biolinks.page.unpublished": {
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
  };
  "biolinks.product.updated": {
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
  };
  "biolinks.product.deleted": {
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
  };
  "biolinks.qr.scanned": {
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
  };
  "biolinks.submission.received": {
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
  };
  "biolinks.submission.held": {
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
  };
  "workspace.endpoint.disabled": {
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
  };
  "workspace.delivery.exhausted": {
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
  };
}

/** What a webhook's body holds: `type` tells which. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];
