import { findLinkUses, takePixel } from "./features/biolinks/links/link-pixels.ts";
import { unusedByLinks } from "./features/biolinks/links/links.ports.ts";
import { findPageUses, takePixelFromPages } from "./features/biolinks/pages/page-pixels.ts";
import { unusedByPages } from "./features/biolinks/pages/pages.ports.ts";
import type { PixelUsers } from "./features/biolinks/pixels/pixels.ports.ts";

/** Each has its rendering's row written anew: 20 of 1 MiB took 0.2 s on a developer's machine. */
const PAGES_A_SLICE = 20;

/** What uses pixels, as their deletion needs to know it. */
export const PIXEL_USERS: PixelUsers = {
  unused: (id) => `${unusedByLinks(id)} AND ${unusedByPages(id)}`,
  findUses: async (ctx, id, bounds) => {
    const [links, pages] = await Promise.all([
      findLinkUses(ctx, id, bounds),
      findPageUses(ctx, id, bounds),
    ]);
    const ids = [...links.ids, ...pages.ids].slice(0, bounds.named);
    return { ids, count: links.count + pages.count };
  },
  takePixel: async (ctx, id, limit) => {
    const ofLinks = await takePixel(ctx, id, limit);
    if (ofLinks === limit) return limit;
    const some = Math.min(limit - ofLinks, PAGES_A_SLICE);
    const ofPages = await takePixelFromPages(ctx, id, some);
    return ofPages === some ? limit : ofLinks + ofPages;
  },
};
