import { fromBase64 } from "../../../platform/bytes.ts";
import type { Context } from "../../../platform/context/context.ts";
import { Unopenable, unseal } from "../../../platform/crypto/vault.ts";
import { postJson } from "../../../platform/outbound/post-json.ts";
import { now } from "../../../platform/time.ts";
import {
  type EventVisitor,
  eventVisitorContext,
  type PixelEvent,
} from "../../../visitor/pixel-events.ts";
import { ga4Request, metaRequest, type ProviderRequest } from "./pixel-event-requests.ts";
import { findToldPixel, type ToldPixel } from "./pixel-events.repository.ts";
import { openToken } from "./pixel-token.ts";
import { pixelSettings } from "./pixels.config.ts";

export { readPixelEvent, withoutVisitor } from "./pixel-event-message.ts";

/** Meta refuses what is older; nobody is told of a visit later than that. */
const LATEST_MILLISECONDS = 7 * 24 * 60 * 60_000;

/** What became of an event: `later` is to be tried again. */
export type Told = "told" | "dropped" | "later";

/**
 * Tells a pixel's provider of a visit. Twice is the same to Meta, by the event's id. What is off,
 * gone or without a token by now is told nothing.
 */
export async function tellProvider(ctx: Context, event: PixelEvent): Promise<Told> {
  const { db, workspaceId, log } = ctx;
  if (now() - event.at > LATEST_MILLISECONDS) return "dropped";
  const pixel = await findToldPixel(db, workspaceId, event.pixel);
  if (!pixel) return "dropped";
  const request = await requestFor(ctx, event, pixel).catch((error: unknown) => {
    if (!(error instanceof Unopenable)) throw error;
    log.error("pixel_token_unreadable", { record: event.pixel });
  });
  if (!request) return "dropped";
  const { statusCode, error } = await postJson(request.url, JSON.stringify(request.body), {});
  if (error === null) return "told";
  const isLater = statusCode === null || statusCode === 429 || statusCode >= 500;
  // The answer's body is not told: it may quote what was sent.
  log.warn(isLater ? "pixel_event_put_off" : "pixel_event_refused", {
    record: event.pixel,
    provider: pixel.provider,
    status: statusCode,
    problem: error,
  });
  return isLater ? "later" : "dropped";
}

/** @throws Unopenable */
async function requestFor(
  { env }: Context,
  event: PixelEvent,
  { provider, tag, sealedToken }: ToldPixel,
): Promise<ProviderRequest | undefined> {
  const { META_API_URL, GOOGLE_ANALYTICS_URL } = pixelSettings.read(env);
  const token = await openToken(env, event.pixel, sealedToken);
  if (provider === "ga4") return ga4Request({ event, tag, token, api: GOOGLE_ANALYTICS_URL });
  const sealed = fromBase64(event.visitor ?? "");
  if (provider !== "meta" || !sealed?.length) return undefined;
  const opened = await unseal(env, eventVisitorContext(event.event), sealed);
  const visitor = JSON.parse(opened) as EventVisitor;
  return metaRequest({ event, tag, token, api: META_API_URL }, visitor);
}
