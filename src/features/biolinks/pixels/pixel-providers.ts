/** Whom a pixel may tell of visits, and what each of them asks for. */
import type { PixelProvider } from "../../../visitor/decide/pixel-beacon.ts";

interface ProviderRules {
  name: string;
  tag: RegExp;
  /** The same in plain words. */
  tagRule: string;
  example: string;
  /** Whether a browser can tell it by an image of its own. */
  hasBeacon: boolean;
  /** Whether it has a server API, which a pixel's access token opens. */
  hasServerEvents: boolean;
}

export const PROVIDERS: Record<PixelProvider, ProviderRules> = {
  meta: {
    name: "Meta",
    tag: /^\d{10,20}$/,
    tagRule: "10 to 20 digits",
    example: "1234567890123456",
    hasBeacon: true,
    hasServerEvents: true,
  },
  google_ads: {
    name: "Google Ads",
    tag: /^(AW-)?\d{9,11}$/,
    tagRule: "9 to 11 digits, with or without AW- before them",
    example: "AW-1234567890",
    hasBeacon: true,
    hasServerEvents: false,
  },
  linkedin: {
    name: "LinkedIn",
    tag: /^\d{4,9}$/,
    tagRule: "4 to 9 digits",
    example: "1234567",
    hasBeacon: true,
    hasServerEvents: false,
  },
  pinterest: {
    name: "Pinterest",
    tag: /^\d{10,16}$/,
    tagRule: "10 to 16 digits",
    example: "2612345678901",
    hasBeacon: true,
    hasServerEvents: false,
  },
  ga4: {
    name: "Google Analytics 4",
    tag: /^G-[A-Z0-9]{6,16}$/,
    tagRule: "G- and then 6 to 16 capital letters or digits",
    example: "G-ABC123DEF4",
    hasBeacon: false,
    hasServerEvents: true,
  },
};

export const PIXEL_PROVIDERS = Object.keys(PROVIDERS) as PixelProvider[];

/** What is wrong with a tag; undefined if nothing. */
export function tagProblem(provider: PixelProvider, tag: string): string | undefined {
  const { name, tag: pattern, tagRule } = PROVIDERS[provider];
  return pattern.test(tag) ? undefined : `A tag of ${name} is ${tagRule}.`;
}

/** What is wrong with an access token; undefined if nothing. */
export function tokenProblem(
  provider: PixelProvider,
  token: string | null | undefined,
): string | undefined {
  const { name, hasServerEvents } = PROVIDERS[provider];
  if (!token || hasServerEvents) return undefined;
  return `${name} is told by the visitor's browser alone: its pixels have no access token.`;
}
