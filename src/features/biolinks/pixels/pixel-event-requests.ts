import { META_EVENT } from "../../../visitor/decide/pixel-beacon.ts";
import type { EventVisitor, PixelEvents } from "../../../visitor/pixel-events.ts";

/** What a provider is sent. */
export interface ProviderRequest {
  url: string;
  body: object;
}

/** How a pixel is told of an event: what it needs of it and no more. */
interface Telling {
  event: PixelEvents;
  tag: string;
  token: string;
  /** Where the provider's API is. */
  api: string;
}

/** Meta's Conversions API. The token is in the body: an address is logged by whoever sees it. */
export function metaRequest(
  { event, tag, token, api }: Telling,
  { address, userAgent }: EventVisitor,
): ProviderRequest {
  const data = {
    event_name: META_EVENT,
    event_id: event.event,
    event_time: Math.floor(event.at / 1000),
    event_source_url: event.url,
    action_source: "website",
    user_data: {
      ...(address && { client_ip_address: address }),
      client_user_agent: userAgent,
    },
  };
  return {
    url: `${api}/${encodeURIComponent(tag)}/events`,
    body: { data: [data], access_token: token },
  };
}

/**
 * Google's Measurement Protocol, which takes its secret in the address only. Each visit is a client
 * of its own: nobody is known again.
 */
export function ga4Request({ event, tag, token, api }: Telling): ProviderRequest {
  const query = new URLSearchParams({ measurement_id: tag, api_secret: token });
  const params = {
    page_location: event.url,
    event_id: event.event,
    session_id: String(Math.floor(event.at / 1000)),
    engagement_time_msec: 1,
  };
  return {
    url: `${api}/mp/collect?${query}`,
    body: {
      client_id: event.event,
      timestamp_micros: event.at * 1000,
      events: [{ name: "page_view", params }],
    },
  };
}
