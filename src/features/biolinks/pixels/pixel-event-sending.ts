import { fromBase64 } from "../../../platform/bytes.ts";
import type { Context } from "../../../platform/context/context.ts";
import { Unopenable, unseal } from "../../../platform/crypto/vault.ts";
import { postJson } from "../../../platform/outbound/post-json.ts";
import { now } from "../../../platform/time.ts";
import {
  type EventVisitor,
  eventVisitorContext,
  type PixelEvents,
} from "../../../visitor/pixel-events.ts";
import { ga4Request, metaRequest, type ProviderRequest } from "./pixel-event-requests.ts";
import { findToldPixels, type ToldPixel } from "./pixel-events.repository.ts";
import { openToken } from "./pixel-token.ts";
import { pixelSettings } from "./pixels.config.ts";

export {
  NEWEST_PIXEL_EVENTS,
  readPixelEvents,
  withoutVisitor,
} from "./pixel-event-message.ts";

/** Meta refuses what is older; nobody is told of a visit later than that. */
const LATEST_MILLISECONDS = 7 * 24 * 60 * 60_000;
/** As what fails for the first time: see queues.ts. */
const REST_DELAY_SECONDS = 5;

/**
 * Tells the providers of a visit's pixels, one after the other. Twice is the same to Meta, by the
 * event's id. What is off, gone or without a token by now is told nothing. `later`: none that is left
 * was told, the message is to come again; if only some are left, they go on as a message of their own.
 * @throws what kept all that are left from being told
 */
export async function tellProviders(ctx: Context, events: PixelEvents): Promise<"done" | "later"> {
  if (now() - events.at > LATEST_MILLISECONDS) return "done";
  const pixels = await findToldPixels(ctx.db, ctx.workspaceId, events.pixels);
  const left: ToldPixel[] = [];
  let fault: unknown;
  for (const pixel of pixels) {
    const told = await tell(ctx, events, pixel).catch((thrown: unknown) => {
      fault ??= thrown;
      return "later" as const;
    });
    if (told === "later") left.push(pixel);
  }
  if (left.length === 0) return "done";
  if (left.length < events.pixels.length) {
    await sendRest(ctx, events, left);
    return "done";
  }
  if (fault) throw fault;
  return "later";
}

/** One message at a time, with fewer pixels each time: whoever was told is not told again. */
async function sendRest(
  { env }: Context,
  { visitor, ...events }: PixelEvents,
  left: ToldPixel[],
): Promise<void> {
  const isNamed = visitor !== undefined && left.some(({ provider }) => provider === "meta");
  const rest = { ...events, pixels: left.map(({ id }) => id), ...(isNamed && { visitor }) };
  const send = () => env.PIXEL_EVENTS.send(rest, { delaySeconds: REST_DELAY_SECONDS });
  await send().catch(send);
}

async function tell(
  ctx: Context,
  events: PixelEvents,
  pixel: ToldPixel,
): Promise<"told" | "dropped" | "later"> {
  const { log } = ctx;
  const request = await requestFor(ctx, events, pixel).catch((error: unknown) => {
    if (!(error instanceof Unopenable)) throw error;
    log.error("pixel_token_unreadable", { record: pixel.id });
  });
  if (!request) return "dropped";
  const { statusCode, error } = await postJson(request.url, JSON.stringify(request.body), {});
  if (error === null) return "told";
  const isLater = statusCode === null || statusCode === 429 || statusCode >= 500;
  // The answer's body is not told: it may quote what was sent.
  log.warn(isLater ? "pixel_event_put_off" : "pixel_event_refused", {
    record: pixel.id,
    provider: pixel.provider,
    status: statusCode,
    problem: error,
  });
  return isLater ? "later" : "dropped";
}

/** @throws Unopenable */
async function requestFor(
  { env }: Context,
  event: PixelEvents,
  { id, provider, tag, sealedToken }: ToldPixel,
): Promise<ProviderRequest | undefined> {
  const { META_API_URL, GOOGLE_ANALYTICS_URL } = pixelSettings.read(env);
  const token = await openToken(env, id, sealedToken);
  if (provider === "ga4") return ga4Request({ event, tag, token, api: GOOGLE_ANALYTICS_URL });
  const sealed = fromBase64(event.visitor ?? "");
  if (provider !== "meta" || !sealed?.length) return undefined;
  const opened = await unseal(env, eventVisitorContext(event.event), sealed);
  const visitor = JSON.parse(opened) as EventVisitor;
  return metaRequest({ event, tag, token, api: META_API_URL }, visitor);
}
