import { type Consent, mayFire } from "../consent/may-fire.ts";
import type { ServerEvents } from "./decide.ts";
import { hasServerEvent, type Pixel, pixelBeacon } from "./pixel-beacon.ts";

/** What a page's pixels do at a visit. */
export interface PagePixels {
  /** The visitor is asked: a pixel waits for an answer. */
  asks: boolean;
  beacons: string[];
  told?: ServerEvents;
}

export const NO_PIXELS: PagePixels = { asks: false, beacons: [] };

/**
 * Whoever has chosen, or refuses by the browser, is asked no more. `isSeen`: a person reads the page
 * now; of others nothing is told, and they are asked nothing. Pure.
 */
export function decidePagePixels(
  pixels: readonly Pixel[],
  visit: { isSeen: boolean; consent: Consent; eventId: string },
): PagePixels {
  if (!visit.isSeen || pixels.length === 0) return NO_PIXELS;
  const { consent, eventId } = visit;
  // The others do nothing, as a GA4 pixel without an access token: nobody is asked for their sake.
  const telling = pixels.filter(
    (pixel) => hasServerEvent(pixel) || pixelBeacon(pixel, eventId) !== undefined,
  );
  const firing = telling.filter((pixel) => mayFire(pixel.consent, consent));
  const beacons = firing
    .map((pixel) => pixelBeacon(pixel, eventId))
    .filter((beacon) => beacon !== undefined);
  const told = firing.filter(hasServerEvent);
  return {
    asks: consent.choice === "none" && !consent.hasGpc && firing.length < telling.length,
    beacons,
    ...(told.length > 0 && { told: { eventId, pixels: told } }),
  };
}
