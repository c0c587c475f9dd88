import { z } from "@hono/zod-openapi";

export const CONTACT_CHANNELS = [
  "whatsapp",
  "instagram",
  "messenger",
  "telegram",
  "sms",
  "email",
  "webchat",
] as const;
export type ContactChannel = (typeof CONTACT_CHANNELS)[number];

export type Product = "publishing" | "salesbot";

/** An event that workspaces can subscribe to. `sample` satisfies `data`. */
export interface EventKind {
  name: string;
  product: Product;
  description: string;
  channels: readonly string[];
  data: z.ZodObject;
  sample: Record<string, unknown>;
}

const time = z.iso.datetime();

const Post = z.object({
  id: z.string(),
  title: z.string().nullable(),
  url: z.url().nullable(),
  networks: z.array(z.string()),
  scheduled_at: time.nullable(),
  published_at: time.nullable(),
});

const postSample = {
  id: "post_4711",
  title: "Spring sale",
  url: "https://social.example/brand/posts/4711",
  networks: ["instagram", "facebook"],
  scheduled_at: "2026-11-20T08:00:00.000Z",
  published_at: "2026-11-20T08:00:02.120Z",
};

const Contact = z.object({
  id: z.string(),
  external_id: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  channel: z.enum(CONTACT_CHANNELS).nullable(),
  stage: z.string().nullable(),
  tags: z.array(z.string()),
  country: z.string().nullable(),
  language: z.string().nullable(),
  custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  status: z.enum(["active", "opted_out", "blocked"]),
  last_active_at: time.nullable(),
  last_inbound_at: time.nullable(),
  created_at: time,
  updated_at: time,
});

const contactSample = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a11",
  external_id: "crm-1815",
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+447700900123",
  channel: "whatsapp",
  stage: null,
  tags: ["0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a22"],
  country: "GB",
  language: "en",
  custom: { plan: "pro" },
  status: "active",
  last_active_at: "2026-11-20T07:59:00.000Z",
  last_inbound_at: null,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-20T08:00:00.000Z",
};

const Message = z.object({
  id: z.string(),
  contact: z.string(),
  channel: z.enum(CONTACT_CHANNELS),
  direction: z.enum(["outbound", "inbound"]),
  text: z.string().nullable(),
  template: z.object({ name: z.string(), params: z.record(z.string(), z.string()) }).nullable(),
  status: z.enum(["queued", "sent", "failed", "received"]),
  reason: z.string().nullable(),
  created_at: time,
});

const messageSample = {
  id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e2a33",
  contact: contactSample.id,
  channel: "whatsapp",
  direction: "outbound",
  text: "Your order is on its way.",
  template: null,
  status: "queued",
  reason: null,
  created_at: "2026-11-20T08:00:00.000Z",
};

function post(action: string, description: string, sample: object): EventKind {
  return {
    name: `publishing.post.${action}`,
    product: "publishing",
    description,
    channels: ["all"],
    data: Post.extend(action === "failed" ? { error: z.string() } : {}),
    sample: { ...postSample, ...sample },
  };
}

function contact(action: string, description: string, sample: object = {}): EventKind {
  return {
    name: `salesbot.contact.${action}`,
    product: "salesbot",
    description,
    channels: CONTACT_CHANNELS,
    data: Contact,
    sample: { ...contactSample, ...sample },
  };
}

function message(status: string, description: string, sample: object = {}): EventKind {
  return {
    name: `salesbot.message.${status}`,
    product: "salesbot",
    description,
    channels: CONTACT_CHANNELS,
    data: Message,
    sample: { ...messageSample, status, ...sample },
  };
}

/** Every event there is. */
export const CATALOGUE: readonly EventKind[] = [
  post("published", "A post went out.", {}),
  post("scheduled", "A post was given a time to go out.", { url: null, published_at: null }),
  post("failed", "A post could not go out.", {
    url: null,
    published_at: null,
    error: "The account was disconnected.",
  }),
  contact("created", "A contact was added."),
  contact("updated", "A contact was changed."),
  contact("deleted", "A contact was deleted; the data is what it was last."),
  contact("tagged", "A contact was given a tag or lost one."),
  contact("opted_out", "A contact asked for no more messages.", { status: "opted_out" }),
  message("queued", "A message was accepted for sending."),
  message("sent", "A message went out."),
  message("failed", "A message could not be sent.", { reason: "channel_not_available" }),
  message("received", "A contact wrote.", { direction: "inbound", text: "When will it arrive?" }),
];

const byName = new Map(CATALOGUE.map((kind) => [kind.name, kind]));

export function findEventKind(name: string): EventKind | undefined {
  return byName.get(name);
}
