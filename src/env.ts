import { z } from "zod";
import type { EventWakeUp } from "./events/events.service.ts";
import type { ClickPacket } from "./features/analytics/click-packet.ts";
import type { PasswordAttempts } from "./features/links/redirect/password-attempts.ts";
import { ConnectorUrls } from "./features/messages/connector-urls.ts";
import type { MessageWakeUp } from "./features/messages/message-sending.ts";
import type { DeliveryLane } from "./features/webhooks/deliveries/delivery-lane.ts";
import type { WorkspaceGate } from "./gate/workspace-gate.ts";
import { fromBase64 } from "./lib/bytes.ts";

/** Bindings, vars and secrets as the runtime hands them over; wrangler.toml declares them. */
export interface Env {
  DB: D1Database;
  WORKSPACE_GATE: DurableObjectNamespace<WorkspaceGate>;
  PASSWORD_ATTEMPTS: DurableObjectNamespace<PasswordAttempts>;
  DELIVERY_LANE: DurableObjectNamespace<DeliveryLane>;
  CLICKS: Queue<ClickPacket>;
  EVENTS: Queue<EventWakeUp>;
  MESSAGES: Queue<MessageWakeUp>;
  IP_RATE_LIMIT: RateLimit;
  INVALID_KEY_RATE_LIMIT: RateLimit;
  PLATFORM_HOST?: string;
  KEY_RATE_LIMIT?: string;
  WEBHOOK_CHANGE_RATE_LIMIT?: string;
  IDEMPOTENCY_LEASE_SECONDS?: string;
  DOH_URL?: string;
  ALLOW_PRIVATE_TARGETS?: string;
  ADMIN_TOKEN?: string;
  ENCRYPTION_KEY?: string;
  CNAME_TARGET?: string;
  CF_API_TOKEN?: string;
  CF_ZONE_ID?: string;
  CF_API_URL?: string;
  MESSAGE_CONNECTOR_URL?: string;
  MESSAGE_CONNECTOR_SECRET?: string;
}

const limit = z.coerce.number().int().min(1);

const Settings = z
  .object({
    PLATFORM_HOST: z.string().default(""),
    KEY_RATE_LIMIT: limit.default(60),
    WEBHOOK_CHANGE_RATE_LIMIT: limit.default(60),
    IDEMPOTENCY_LEASE_SECONDS: limit.default(30),
    DOH_URL: z.url().default("https://cloudflare-dns.com/dns-query"),
    CNAME_TARGET: z.string().default(""),
    CF_API_TOKEN: z.string().default(""),
    CF_ZONE_ID: z.string().default(""),
    CF_API_URL: z.url().default("https://api.cloudflare.com/client/v4"),
    ALLOW_PRIVATE_TARGETS: z
      .string()
      .default("")
      .transform((text) => text === "true"),
    ADMIN_TOKEN: z.string().default(""),
    MESSAGE_CONNECTOR_URL: ConnectorUrls,
    MESSAGE_CONNECTOR_SECRET: z
      .string()
      .regex(/^(whsec_[A-Za-z0-9+/]{32,}={0,2})?$/, { error: "must be whsec_ and base64" })
      .default(""),
    ENCRYPTION_KEY: z.string({ error: "is not set" }).transform((text, context) => {
      const bytes = fromBase64(text);
      if (bytes?.length === 32) return bytes;
      context.addIssue({ code: "custom", message: "must be 32 bytes in base64" });
      return z.NEVER;
    }),
  })
  .superRefine((settings, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: "custom", path: [name], message });
    const urls = Object.values(settings.MESSAGE_CONNECTOR_URL);
    const isDevelopment = settings.ALLOW_PRIVATE_TARGETS;
    if (isDevelopment && settings.PLATFORM_HOST !== "") {
      refuse("ALLOW_PRIVATE_TARGETS", "is for development only: unset it, or PLATFORM_HOST");
    }
    if (!isDevelopment && urls.some((url) => !url.startsWith("https://"))) {
      refuse("MESSAGE_CONNECTOR_URL", "must be https");
    }
    if (urls.length > 0 && settings.MESSAGE_CONNECTOR_SECRET === "") {
      refuse("MESSAGE_CONNECTOR_SECRET", "is not set: what the connector gets is signed with it");
    }
  });

export type Settings = z.output<typeof Settings>;

const known = new WeakMap<Env, Settings>();

/**
 * The vars and secrets, validated once per isolate.
 * @throws Error naming what is wrong, never a value: the API answers 500, visitors are served.
 */
export function settingsOf(env: Env): Settings {
  let settings = known.get(env);
  if (!settings) {
    const parsed = Settings.safeParse(env);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        (issue) => `${issue.path.join(".")} ${issue.message}`,
      );
      throw new Error(`Signpost is not configured: ${problems.join("; ")}`);
    }
    settings = parsed.data;
    known.set(env, settings);
  }
  return settings;
}
