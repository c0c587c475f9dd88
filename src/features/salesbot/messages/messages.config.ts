import { z } from "zod";
import { fromBase64 } from "../../../platform/bytes.ts";
import { defineSettings, type Env, findText } from "../../../platform/config.ts";
import { CONTACT_CHANNELS, type ContactChannel } from "../contacts/contact-channels.ts";

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;
const Url = z.url({ protocol: /^https?$/ }).refine((url) => !URL.parse(url)?.username);
const ByChannel = z.partialRecord(z.enum(CONTACT_CHANNELS), Url);
type ConnectorUrls = Partial<Record<ContactChannel, string>>;

/** One URL for every channel, or a JSON object of URLs by channel. */
export const ConnectorUrls = z
  .string()
  .default("")
  .transform((text, context): ConnectorUrls => {
    if (text === "") return {};
    const one = Url.safeParse(text);
    if (one.success) {
      return Object.fromEntries(CONTACT_CHANNELS.map((channel) => [channel, one.data]));
    }
    const many = ByChannel.safeParse(parseJson(text));
    if (many.success) return many.data as ConnectorUrls;
    const message = "must be a URL, or a JSON object of URLs by channel";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const ConnectorSecret = z
  .string()
  .refine((text) => SECRET.test(text) && fromBase64(text.slice("whsec_".length)), {
    error: "must be whsec_ and base64 of 24 bytes or more",
  })
  .default("");

export const messageSettings = defineSettings(
  {
    MESSAGE_CONNECTOR_URL: ConnectorUrls.describe(
      "Where messages go: one https URL, or JSON of URLs by channel.",
    ),
    MESSAGE_CONNECTOR_SECRET: ConnectorSecret.describe(
      "`whsec_` and 32 bytes in base64; signs what the connector gets.",
    ).meta({ secret: true }),
  },
  {
    MESSAGE_CONNECTOR_URL(urls, env) {
      const isDevelopment =
        findText(env, "ALLOW_PRIVATE_TARGETS") === "true" && !findText(env, "PLATFORM_HOST");
      const areSafe = Object.values(urls).every((url) => url.startsWith("https://"));
      return areSafe || isDevelopment ? undefined : "must be https";
    },
    MESSAGE_CONNECTOR_SECRET: (secret, env) =>
      secret === "" && findText(env, "MESSAGE_CONNECTOR_URL")
        ? "is not set: what the connector gets is signed with it"
        : undefined,
  },
);

/** Where messages go, and what signs them. @throws SettingFault */
export function readConnectors(env: Env): { urls: ConnectorUrls; secret: string } {
  const { MESSAGE_CONNECTOR_URL: urls, MESSAGE_CONNECTOR_SECRET: secret } =
    messageSettings.read(env);
  return { urls, secret };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
