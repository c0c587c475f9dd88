import type { Choice } from "./consent-cookie.ts";
import { needsConsent } from "./consent-countries.ts";

/** What a pixel's owner says of it. */
export type PixelConsent = "required" | "not_required";

/** What is known of a visitor that decides what may be told of the visit. */
export interface Consent {
  /** As Cloudflare gives it; empty: unknown. */
  country: string;
  choice: Choice;
  /** Global Privacy Control: the browser sends `Sec-GPC: 1`. */
  hasGpc: boolean;
}

/** Of a visitor of whom nothing is known. */
export const UNKNOWN_VISITOR: Consent = { country: "", choice: "none", hasGpc: false };

/** Whether a pixel may fire. Who refused is told of nowhere, whatever a pixel's owner thinks. */
export function mayFire(consent: PixelConsent, visitor: Consent): boolean {
  if (visitor.hasGpc || visitor.choice === "no") return false;
  return visitor.choice === "yes" || consent === "not_required" || !needsConsent(visitor.country);
}
