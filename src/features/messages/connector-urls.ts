import { z } from "zod";
import { CONTACT_CHANNELS, type ContactChannel } from "../webhooks/catalogue.ts";

const Url = z.url({ protocol: /^https?$/ });
const ByChannel = z.partialRecord(z.enum(CONTACT_CHANNELS), Url);

/**
 * `MESSAGE_CONNECTOR_URL`: one URL for every channel, or a JSON object of URLs by channel. A
 * channel without one has no connector.
 */
export const ConnectorUrls = z
  .string()
  .default("")
  .transform((text, context): Partial<Record<ContactChannel, string>> => {
    if (text === "") return {};
    const one = Url.safeParse(text);
    if (one.success) {
      return Object.fromEntries(CONTACT_CHANNELS.map((channel) => [channel, one.data]));
    }
    const many = ByChannel.safeParse(parseJson(text));
    if (many.success) return many.data as Partial<Record<ContactChannel, string>>;
    context.addIssue({
      code: "custom",
      message: "must be a URL, or a JSON object of URLs by channel",
    });
    return z.NEVER;
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
