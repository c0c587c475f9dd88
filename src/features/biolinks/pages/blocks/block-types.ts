import type { BlockType } from "./block-type.ts";
import { contactCardBlock } from "./contact-card.block.ts";
import { countdownBlock } from "./countdown.block.ts";
import { dividerBlock } from "./divider.block.ts";
import { embedBlock } from "./embed.block.ts";
import { eventBlock } from "./event.block.ts";
import { faqBlock } from "./faq.block.ts";
import { fileBlock } from "./file.block.ts";
import { formBlock } from "./form.block.ts";
import { galleryBlock } from "./gallery.block.ts";
import { headingBlock } from "./heading.block.ts";
import { imageBlock } from "./image.block.ts";
import { linkBlock } from "./link.block.ts";
import { locationBlock } from "./location.block.ts";
import { messagingBlock } from "./messaging.block.ts";
import { postsBlock } from "./posts.block.ts";
import { productsBlock } from "./products.block.ts";
import { socialBlock } from "./social.block.ts";
import { testimonialsBlock } from "./testimonials.block.ts";
import { textBlock } from "./text.block.ts";

/** Every block type, in the order of the API's catalogue. */
export const BLOCK_TYPES: readonly BlockType[] = [
  linkBlock,
  headingBlock,
  textBlock,
  dividerBlock,
  imageBlock,
  galleryBlock,
  embedBlock,
  socialBlock,
  messagingBlock,
  formBlock,
  contactCardBlock,
  eventBlock,
  countdownBlock,
  faqBlock,
  testimonialsBlock,
  productsBlock,
  locationBlock,
  fileBlock,
  postsBlock,
];

const byType = new Map(BLOCK_TYPES.map((type) => [type.type, type]));

export function findBlockType(type: string): BlockType | undefined {
  return byType.get(type);
}
