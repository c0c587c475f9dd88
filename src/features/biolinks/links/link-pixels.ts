import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import type { PixelUses } from "../pixels/pixels.ports.ts";
import { linkAddresses } from "./link-address.ts";
import {
  countLinksUsing,
  dropPixel,
  findIfWanted,
  findLinksUsing,
  findNotedLinks,
  type PixelLoss,
} from "./link-pixels.repository.ts";
import { updateEvent } from "./link-snapshot.ts";
import { linkEvents } from "./links.events.ts";
import type { LinkRow } from "./links.repository.ts";

/** An event of a link has 13 KB at most, a parameter 2 MB. */
const TOLD_AT_ONCE = 100;

/** The first links that use a pixel, and how many there are, counted no further than `most` + 1. */
export async function findLinkUses(
  { db, workspaceId }: Context,
  pixelId: string,
  { named, most }: { named: number; most: number },
): Promise<PixelUses> {
  const ids = await findLinksUsing(db, workspaceId, pixelId, named);
  return { ids, count: await countLinksUsing(db, pixelId, most + 1) };
}

/** Takes a deleted pixel from the next links that use it, each with its event; from how many it was. */
export async function takePixel(ctx: Context, pixelId: string, limit: number): Promise<number> {
  const { db, workspaceId } = ctx;
  const ids = await findNotedLinks(db, pixelId, limit);
  if (ids.length === 0) return 0;
  const event = { workspaceId, type: linkEvents.updated.name, channel: "all" };
  const told = await findIfWanted(db, workspaceId, ids, event);
  // Where nobody is told, all at once; else no more than a statement holds the events of.
  const parts = told.length > 0 ? inParts(ids, TOLD_AT_ONCE) : [ids];
  for (const part of parts) {
    const time = now();
    const losses = await lossesOf(ctx, part, told, pixelId, time);
    await announceEvents(ctx, await dropPixel(db, workspaceId, pixelId, losses, time));
  }
  return ids.length;
}

async function lossesOf(
  ctx: Context,
  ids: string[],
  told: LinkRow[],
  pixelId: string,
  updatedAt: number,
): Promise<PixelLoss[]> {
  const links = new Map(told.map((link) => [link.id, link]));
  const addresses = await linkAddresses(ctx, told);
  return ids.map((id) => {
    const revision = newRevision();
    const before = links.get(id);
    if (!before) return { id, revision };
    const pixels = before.pixels.filter((pixel) => pixel !== pixelId);
    const after = { ...before, pixels, revision, updatedAt };
    // Answers show the pixel no more; what the event tells is that it goes.
    const pixelsOf = (link: Pick<LinkRow, "pixels">) =>
      link === before ? before.pixels : addresses.pixelsOf(link);
    const event = updateEvent(before, after, { ...addresses, pixelsOf });
    return { id, revision, from: before.revision, event };
  });
}

function inParts<Of>(all: Of[], size: number): Of[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}
