import { toBase64 } from "../platform/bytes.ts";
import type { Env } from "../platform/config.ts";
import { seal } from "../platform/crypto/vault.ts";
import { createLog } from "../platform/log.ts";
import { now } from "../platform/time.ts";
import type { ServerEvents } from "./decide/decide.ts";
import type { Pixel } from "./decide/pixel-beacon.ts";
import type { VisitorLink } from "./decide/visitor-link.ts";

/** A hundred messages of a visit, each with it sealed, are then no more than a queue takes at once. */
const MAX_USER_AGENT = 400;

/** A queue message: a pixel's provider is to be told of a visit by its server API. */
export interface PixelEvent {
  v: 1;
  workspace: string;
  pixel: string;
  link: string;
  /** The same for all pixels of a visit, and in the beacon. */
  event: string;
  /** When the visit was, in milliseconds since the epoch. */
  at: number;
  /** The link's address as it was asked for, without its query. */
  url: string;
  /** For Meta alone, which takes no event without it: a sealed {@link EventVisitor}, in base64. */
  visitor?: string;
}

/** Sealed, as a queue may hold a message for days; it is stored nowhere else. */
export interface EventVisitor {
  address: string;
  userAgent: string;
}

/** What an event's visitor is sealed for: it opens with no other event. */
export function eventVisitorContext(event: string): string {
  return `pixel-event:${event}`;
}

/** Has providers told of a visit, once it is answered. What is lost on the way to the queue is told. */
export function tellPixels(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  link: VisitorLink,
  { eventId, pixels }: ServerEvents,
): void {
  const { headers } = request;
  const { origin, pathname } = new URL(request.url);
  const common = {
    v: 1 as const,
    workspace: link.workspaceId,
    link: link.id,
    event: eventId,
    at: now(),
    url: origin + pathname,
  };
  const visitor: EventVisitor = {
    address: headers.get("CF-Connecting-IP") ?? "",
    userAgent: (headers.get("User-Agent") ?? "").slice(0, MAX_USER_AGENT),
  };
  const sending = send(env, pixels, common, visitor).catch((fault: unknown) => {
    createLog().error("pixel_events_lost", {
      workspace: link.workspaceId,
      events: pixels.length,
      fault,
    });
  });
  ctx.waitUntil(sending);
}

/** All of a visit in one call: a link has at most 100 pixels, a message at most 2.2 KB. */
async function send(
  env: Env,
  pixels: Pixel[],
  common: Omit<PixelEvent, "pixel" | "visitor">,
  visitor: EventVisitor,
): Promise<void> {
  const isNamed = pixels.some(({ provider }) => provider === "meta");
  const sealed =
    isNamed &&
    toBase64(await seal(env, eventVisitorContext(common.event), JSON.stringify(visitor)));
  const messages = pixels.map(({ id, provider }): { body: PixelEvent } => ({
    body: { ...common, pixel: id, ...(sealed && provider === "meta" && { visitor: sealed }) },
  }));
  await env.PIXEL_EVENTS.sendBatch(messages);
}
