import type { Env } from "../../platform/config.ts";
import { readChoice } from "./consent-cookie.ts";
import type { Consent } from "./may-fire.ts";
import { hasPrivacyControl } from "./privacy-control.ts";

/** What a request says of its visitor's consent. */
export function consentOf(request: Request, env: Env): Consent {
  const { headers } = request;
  return {
    country: countryOf(request, env),
    choice: readChoice(headers.get("Cookie") ?? "", isSecure(request)),
    hasGpc: hasPrivacyControl(headers),
  };
}

/** Whether a visitor came by https. */
export function isSecure(request: Request): boolean {
  return request.url.startsWith("https:");
}

/** Cloudflare says it. In development, where it does not, a header can, so that all can be tried. */
export function countryOf(request: Request, env: Env): string {
  const said = env.PLATFORM_HOST ? null : request.headers.get("CF-IPCountry");
  const country = said ?? (request.cf?.country as string | undefined) ?? "";
  return country.toUpperCase();
}
