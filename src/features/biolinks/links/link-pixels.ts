import type { Context } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import type { PixelUses } from "../pixels/pixels.ports.ts";
import {
  countLinksUsing,
  dropPixel,
  findLinksUsing,
  findNotedLinks,
} from "./link-pixels.repository.ts";

/** The first links that use a pixel, and how many there are, counted no further than `most` + 1. */
export async function findLinkUses(
  { db, workspaceId }: Context,
  pixelId: string,
  { named, most }: { named: number; most: number },
): Promise<PixelUses> {
  const ids = await findLinksUsing(db, workspaceId, pixelId, named);
  return { ids, count: await countLinksUsing(db, pixelId, most + 1) };
}

/** Takes a deleted pixel from the next links that use it; from how many it was. */
export async function takePixel(
  { db, workspaceId }: Context,
  pixelId: string,
  limit: number,
): Promise<number> {
  const ids = await findNotedLinks(db, pixelId, limit);
  if (ids.length === 0) return 0;
  const versions = ids.map((id): [string, string] => [id, newRevision()]);
  await dropPixel(db, workspaceId, pixelId, versions, now());
  return ids.length;
}
