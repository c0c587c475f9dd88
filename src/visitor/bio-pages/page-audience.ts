import type { Env } from "../../platform/config.ts";
import { now } from "../../platform/time.ts";
import { deviceOf } from "../clicks/visitor-kind.ts";
import { countryOf } from "../consent/visitor-consent.ts";
import {
  type Audience,
  type BlockPart,
  type Device,
  isVisible,
  type PagePart,
} from "./page-parts.ts";

/** Codes of no country: unknown, and Tor. */
const NOWHERE = new Set(["", "XX", "T1"]);

/** Who asks for a page, as far as its blocks' visibility goes. */
export function audienceOf(request: Request, env: Env, blocks: readonly BlockPart[]): Audience {
  const country = countryOf(request, env);
  // To tell a device takes longer than all else here.
  const asksDevice = blocks.some(({ visibility }) => visibility.devices);
  const device = asksDevice ? deviceOf(request.headers.get("User-Agent") ?? "") : "";
  return {
    now: now(),
    country: NOWHERE.has(country) ? null : country,
    device: isDevice(device) ? device : "desktop",
  };
}

/** The blocks of a page that not everybody is shown, or not always. */
export function conditionalBlocks(parts: readonly PagePart[]): BlockPart[] {
  return parts.filter((part) => typeof part === "object" && part.kind === "block");
}

/** Whether somebody is shown a block. */
export function isShown(
  request: Request,
  env: Env,
  parts: readonly PagePart[],
  blockId: string,
): boolean {
  const block = conditionalBlocks(parts).find((part) => part.blockId === blockId);
  return !block || isVisible(block.visibility, audienceOf(request, env, [block]));
}

function isDevice(device: string): device is Device {
  return device === "mobile" || device === "tablet" || device === "desktop";
}
