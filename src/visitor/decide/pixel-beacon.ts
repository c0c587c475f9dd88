import type { PixelConsent } from "../consent/may-fire.ts";

/**
 * The providers' own beacons for pages without JavaScript: one image each, so that a pixel
 * page needs no script and no foreign code ever runs on a short link's host.
 */
const BEACONS = {
  // By `eid` Meta knows the same visit's server event for the same.
  meta: (tag: string, eventId: string) =>
    `https://www.facebook.com/tr?id=${tag}&ev=${META_EVENT}&eid=${eventId}&noscript=1`,
  // The number alone: `AW-` is of the scripts.
  google_ads: (tag: string) =>
    `https://googleads.g.doubleclick.net/pagead/viewthroughconversion/${tag.replace(/^AW-/, "")}/?guid=ON&script=0`,
  linkedin: (tag: string) => `https://px.ads.linkedin.com/collect/?pid=${tag}&fmt=gif`,
  pinterest: (tag: string) => `https://ct.pinterest.com/v3/?event=init&tid=${tag}&noscript=1`,
};

/** What Meta calls a visit, in the beacon and in the server event: else it would count two. */
export const META_EVENT = "PageView";

/** Those that are told by their server API, given an access token. */
const SERVER_PROVIDERS = new Set<string>(["meta", "ga4"]);

export type PixelProvider = keyof typeof BEACONS | "ga4";

/** One that is switched on: others are not given to visits. */
export interface Pixel {
  id: string;
  provider: PixelProvider;
  tag: string;
  consent: PixelConsent;
  /** It has an access token for server events. */
  server: boolean;
}

/** The address of the image that tells the provider of a visit; undefined where there is none. */
export function pixelBeacon(
  { provider, tag }: Pick<Pixel, "provider" | "tag">,
  eventId: string,
): string | undefined {
  return provider !== "ga4" && Object.hasOwn(BEACONS, provider)
    ? BEACONS[provider](encodeURIComponent(tag), encodeURIComponent(eventId))
    : undefined;
}

export function hasServerEvent({ provider, server }: Pick<Pixel, "provider" | "server">): boolean {
  return server && SERVER_PROVIDERS.has(provider);
}
