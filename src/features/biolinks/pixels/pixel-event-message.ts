import { z } from "zod";
import { PIXELS_A_MESSAGE, type PixelEvents } from "../../../visitor/pixel-events.ts";

const Visit = z.object({
  workspace: z.uuid(),
  link: z.uuid(),
  event: z.uuid(),
  at: z.int().nonnegative(),
  url: z.url({ protocol: /^https?$/ }),
  visitor: z.base64().optional(),
});
const Current = Visit.extend({
  v: z.literal(2),
  pixels: z.array(z.uuid()).min(1).max(PIXELS_A_MESSAGE),
});
/** A message for each pixel: until 2026-11-23. May go after 2026-12-08. */
const OfOnePixel = Visit.extend({ v: z.literal(1), pixel: z.uuid() }).transform(
  ({ pixel, ...visit }) => ({ ...visit, v: 2 as const, pixels: [pixel] }),
);
const AnyShape = z.union([Current, OfOnePixel]);

export const NEWEST_PIXEL_EVENTS = 2;

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readPixelEvents(body: unknown): PixelEvents | undefined {
  const { success, data } = AnyShape.safeParse(body);
  if (!success) return undefined;
  const { visitor, ...rest } = data;
  return visitor === undefined ? rest : { ...rest, visitor };
}

/** A message of any version as it may be stored: what is known to name no visitor. */
export function withoutVisitor(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return null;
  const { v, workspace, pixel, pixels, link, event, at, url } = body as Record<string, unknown>;
  return { v, workspace, pixel, pixels, link, event, at, url };
}
