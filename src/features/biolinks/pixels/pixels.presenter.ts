import { toTimestamp } from "../../../platform/time.ts";
import { PIXEL_PROVIDERS, PROVIDERS } from "./pixel-providers.ts";
import type { PixelRow } from "./pixels.repository.ts";
import type { Pixel, ProviderDescription } from "./pixels.schemas.ts";

/** A pixel as the API answers it: of its access token it says only whether there is one. */
export function presentPixel(row: PixelRow): Pixel {
  return {
    id: row.id,
    revision: row.revision,
    name: row.name,
    provider: row.provider,
    tag: row.tag,
    enabled: row.enabled,
    consent: row.consent,
    has_access_token: row.accessToken !== null,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}

/** Every provider with its rules, as the catalogue lists them. */
export function presentProviders(): ProviderDescription[] {
  return PIXEL_PROVIDERS.map((provider) => {
    const { name, tag, tagRule, example, hasBeacon, hasServerEvents } = PROVIDERS[provider];
    return {
      provider,
      name,
      tag_pattern: tag.source,
      tag_rule: tagRule,
      tag_example: example,
      has_beacon: hasBeacon,
      has_server_events: hasServerEvents,
      needs_access_token: !hasBeacon,
    };
  });
}
