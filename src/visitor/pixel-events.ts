import { toBase64 } from "../platform/bytes.ts";
import type { Env } from "../platform/config.ts";
import { seal } from "../platform/crypto/vault.ts";
import { createLog } from "../platform/log.ts";
import { now } from "../platform/time.ts";
import type { ServerEvents } from "./decide/decide.ts";
import type { Pixel } from "./decide/pixel-beacon.ts";

/** No browser's is longer. */
const MAX_USER_AGENT = 400;
/** A message's pixels are told one after the other, 15 s each at most: five minutes. */
export const PIXELS_A_MESSAGE = 20;

/** A queue message: the providers of these pixels are to be told of a visit by their server APIs. */
export interface PixelEvents {
  v: 2;
  workspace: string;
  /** Of one link or page: at most {@link PIXELS_A_MESSAGE}. */
  pixels: string[];
  /** What was visited: a link, or a page. */
  link: string;
  /** The same for all pixels of a visit, and in the beacon. */
  event: string;
  /** When the visit was, in milliseconds since the epoch. */
  at: number;
  /** The link's address as it was asked for, without its query. */
  url: string;
  /** For Meta's pixels, which take no event without it: a sealed {@link EventVisitor}, in base64. */
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
  visited: { id: string; workspaceId: string },
  { eventId, pixels }: ServerEvents,
): void {
  const { headers } = request;
  const { origin, pathname } = new URL(request.url);
  const common = {
    v: 2 as const,
    workspace: visited.workspaceId,
    link: visited.id,
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
      workspace: visited.workspaceId,
      events: pixels.length,
      fault,
    });
  });
  ctx.waitUntil(sending);
}

/** All of a visit in one call, and mostly one message: a link has at most 100 pixels, so five. */
async function send(
  env: Env,
  pixels: Pixel[],
  common: Omit<PixelEvents, "pixels" | "visitor">,
  visitor: EventVisitor,
): Promise<void> {
  const [named, others] = [pixels.filter(isNamed), pixels.filter((pixel) => !isNamed(pixel))];
  const sealed =
    named.length > 0 &&
    toBase64(await seal(env, eventVisitorContext(common.event), JSON.stringify(visitor)));
  // Meta's come first, so that messages of others alone hold no visitor.
  const messages = inMessages([...named, ...others]).map((part): { body: PixelEvents } => ({
    body: {
      ...common,
      pixels: part.map(({ id }) => id),
      ...(sealed && part.some(isNamed) && { visitor: sealed }),
    },
  }));
  await env.PIXEL_EVENTS.sendBatch(messages);
}

/** Whether a pixel's provider is told who the visitor was. */
function isNamed({ provider }: Pixel): boolean {
  return provider === "meta";
}

function inMessages(pixels: Pixel[]): Pixel[][] {
  const parts: Pixel[][] = [];
  for (let at = 0; at < pixels.length; at += PIXELS_A_MESSAGE) {
    parts.push(pixels.slice(at, at + PIXELS_A_MESSAGE));
  }
  return parts;
}
