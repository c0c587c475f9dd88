/**
 * The providers' own beacons for pages without JavaScript: one image each, so that a pixel
 * page needs no script and no foreign code ever runs on a short link's host.
 */
const BEACONS = {
  meta: (tag: string) => `https://www.facebook.com/tr?id=${tag}&ev=PageView&noscript=1`,
  google_ads: (tag: string) =>
    `https://googleads.g.doubleclick.net/pagead/viewthroughconversion/${tag.replace(/^AW-/, "")}/?guid=ON&script=0`,
  linkedin: (tag: string) => `https://px.ads.linkedin.com/collect/?pid=${tag}&fmt=gif`,
  pinterest: (tag: string) => `https://ct.pinterest.com/v3/?event=init&tid=${tag}&noscript=1`,
};

/** `ga4` has no beacon: it is told by its server API alone. */
export type PixelProvider = keyof typeof BEACONS | "ga4";

export interface Pixel {
  id: string;
  provider: PixelProvider;
  tag: string;
  consent: "required" | "not_required";
  /** Whether its provider is to be told by its server API, too. */
  server: boolean;
}

/** The address of the image that tells the provider of a visit; undefined where there is none. */
export function pixelBeacon({ provider, tag }: Pixel): string | undefined {
  return Object.hasOwn(BEACONS, provider)
    ? BEACONS[provider as keyof typeof BEACONS](encodeURIComponent(tag))
    : undefined;
}
