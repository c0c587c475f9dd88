import { accessSettings } from "./access/access.config.ts";
import { domainSettings } from "./features/biolinks/domains/domains.config.ts";
import { messageSettings } from "./features/salesbot/messages/messages.config.ts";
import { platformSettings } from "./platform/config.ts";

/** Every var and secret that there is: for the README's table, and to look at them all at once. */
export const ALL_SETTINGS = [
  platformSettings,
  accessSettings,
  domainSettings,
  messageSettings,
] as const;
