import { z } from "zod";
import type { PixelEvent } from "../../../visitor/pixel-events.ts";

const Current = z.object({
  v: z.literal(1),
  workspace: z.uuid(),
  pixel: z.uuid(),
  link: z.uuid(),
  event: z.uuid(),
  at: z.int().nonnegative(),
  url: z.url({ protocol: /^https?$/ }),
  visitor: z.base64().optional(),
});

/** Reads a queue message of any shape that may still come; undefined for anything else. */
export function readPixelEvent(body: unknown): PixelEvent | undefined {
  const { success, data } = Current.safeParse(body);
  if (!success) return undefined;
  const { visitor, ...rest } = data;
  return visitor === undefined ? rest : { ...rest, visitor };
}

/** A message of any version as it may be stored: what is known to name no visitor. */
export function withoutVisitor(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return null;
  const { v, workspace, pixel, link, event, at, url } = body as Record<string, unknown>;
  return { v, workspace, pixel, link, event, at, url };
}
