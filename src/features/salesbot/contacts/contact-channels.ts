/** Where contacts can be written to. Their events are on these channels. */
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
