import type { Context } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import type { PixelUses } from "../pixels/pixels.ports.ts";
import { findForeignPixels } from "../pixels/pixels.service.ts";
import type { PageContent } from "./page-content.ts";
import { dropPixel, findPagesUsing } from "./page-pixels.repository.ts";

/** The first pages that use a pixel, and how many there are, counted no further than `most` + 1. */
export async function findPageUses(
  { db }: Context,
  pixelId: string,
  { named, most }: { named: number; most: number },
): Promise<PixelUses> {
  const ids = await findPagesUsing(db, pixelId, most + 1);
  return { ids: ids.slice(0, named), count: ids.length };
}

/** Takes a deleted pixel from the next pages that use it; from how many it was. */
export async function takePixelFromPages(
  { db, workspaceId }: Context,
  pixelId: string,
  limit: number,
): Promise<number> {
  const ids = await findPagesUsing(db, pixelId, limit);
  if (ids.length === 0) return 0;
  const versions = ids.map((id): [string, string] => [id, newRevision()]);
  await dropPixel(db, workspaceId, pixelId, versions, now());
  return ids.length;
}

/** The same without the pixels that are gone: those that an old version or a copy may still name. */
export async function withOwnPixels(ctx: Context, content: PageContent): Promise<PageContent> {
  const gone = new Set(await findForeignPixels(ctx, content.pixels));
  return { ...content, pixels: content.pixels.filter((id) => !gone.has(id)) };
}
