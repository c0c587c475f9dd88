import { findLinkUses, takePixel } from "./features/biolinks/links/link-pixels.ts";
import { unusedByLinks } from "./features/biolinks/links/links.ports.ts";
import type { PixelUsers } from "./features/biolinks/pixels/pixels.ports.ts";

/** What uses pixels, as their deletion needs to know it. */
export const PIXEL_USERS: PixelUsers = {
  unused: unusedByLinks,
  findUses: findLinkUses,
  takePixel,
};
