import { z } from "zod";
import { defineSettings, type Env, platformSettings } from "../../../platform/config.ts";
import { CONTACT_CHANNELS, type ContactChannel } from "../contacts/contact-channels.ts";

const Url = z.url({ protocol: /^https?$/ });
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
  .regex(/^(whsec_[A-Za-z0-9+/]{32,}={0,2})?$/, { error: "must be whsec_ and base64" })
  .default("");

export const messageSettings = defineSettings(
  z
    .object({
      MESSAGE_CONNECTOR_URL: ConnectorUrls.describe(
        "Where messages go: one https URL, or JSON of URLs by channel.",
      ),
      MESSAGE_CONNECTOR_SECRET: ConnectorSecret.describe(
        "`whsec_` and 32 bytes in base64; signs what the connector gets.",
      ).meta({ secret: true }),
    })
    .superRefine((settings, context) => {
      const hasUrl = Object.keys(settings.MESSAGE_CONNECTOR_URL).length > 0;
      if (!hasUrl || settings.MESSAGE_CONNECTOR_SECRET !== "") return;
      const message = "is not set: what the connector gets is signed with it";
      context.addIssue({ code: "custom", path: ["MESSAGE_CONNECTOR_SECRET"], message });
    }),
);

/** Where messages go, and what signs them. @throws Error when that is set up wrongly */
export function readConnectors(env: Env): { urls: ConnectorUrls; secret: string } {
  const { MESSAGE_CONNECTOR_URL: urls, MESSAGE_CONNECTOR_SECRET: secret } =
    messageSettings.read(env);
  const isDevelopment = platformSettings.read(env).ALLOW_PRIVATE_TARGETS;
  if (!isDevelopment && Object.values(urls).some((url) => !url.startsWith("https://"))) {
    throw new Error("Signpost is not configured: MESSAGE_CONNECTOR_URL must be https");
  }
  return { urls, secret };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
