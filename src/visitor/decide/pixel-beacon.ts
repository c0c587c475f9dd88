/**
 * The providers' own beacons for pages without JavaScript: one image each, so that a pixel
 * page needs no script and no foreign code ever runs on a short link's host.
 */
const BEACONS = {
  meta: (tag: string) => `https://www.facebook.com/tr?id=${tag}&ev=PageView&noscript=1`,
  google_ads: (tag: string) =>
    `https://googleads.g.doubleclick.net/pagead/viewthroughconversion/${tag}/?guid=ON&script=0`,
  linkedin: (tag: string) => `https://px.ads.linkedin.com/collect/?pid=${tag}&fmt=gif`,
  pinterest: (tag: string) => `https://ct.pinterest.com/v3/?event=init&tid=${tag}&noscript=1`,
};

export type PixelProvider = keyof typeof BEACONS;

export interface Pixel {
  provider: PixelProvider;
  tag: string;
}

/** The address of the image that tells the provider of a visit; undefined for an unknown provider. */
export function pixelBeacon(pixel: Pixel): string | undefined {
  return Object.hasOwn(BEACONS, pixel.provider)
    ? BEACONS[pixel.provider](encodeURIComponent(pixel.tag))
    : undefined;
}
