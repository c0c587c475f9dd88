import { accessSettings } from "./access/access.config.ts";
import { domainSettings } from "./features/biolinks/domains/domains.config.ts";
import { pixelSettings } from "./features/biolinks/pixels/pixels.config.ts";
import { messageSettings } from "./features/salesbot/messages/messages.config.ts";
import {
  type Env,
  platformSettings,
  type SettingProblem,
  type Settings,
} from "./platform/config.ts";
import { addressSettings } from "./visitor/addresses/addresses.config.ts";
import { turnstileSettings } from "./visitor/bio-pages/turnstile.config.ts";

/** Every var and secret that there is: for the table of docs/settings.md, and to look at them all at once. */
export const ALL_SETTINGS: readonly Settings[] = [
  platformSettings,
  accessSettings,
  domainSettings,
  messageSettings,
  pixelSettings,
  addressSettings,
  turnstileSettings,
];

/** What is wrong, by setting; never a value. */
export function findSettingProblems(env: Env): SettingProblem[] {
  return ALL_SETTINGS.flatMap((settings) => settings.findProblems(env));
}
