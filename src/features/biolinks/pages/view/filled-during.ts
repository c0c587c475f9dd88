import type { Times } from "../../../../visitor/bio-pages/page-parts.ts";
import { findBlockType } from "../blocks/block-types.ts";
import type { RenderedBlock } from "./render-blocks.ts";

/** Whether a page of these blocks shows nothing, whenever it is looked at. */
export function isNeverFilled(blocks: readonly RenderedBlock[]): boolean {
  return blocks.every(isDecoration);
}

/** When blocks make a page more than empty; undefined: always. */
export function filledDuring(blocks: readonly RenderedBlock[]): Times[] | undefined {
  const times = blocks
    .filter((block) => !isDecoration(block))
    .map(({ visibility }): Times => {
      const { starts_at, ends_at } = visibility ?? {};
      return {
        ...(starts_at !== undefined && { starts_at }),
        ...(ends_at !== undefined && { ends_at }),
      };
    });
  const isAlways = times.some((one) => one.starts_at === undefined && one.ends_at === undefined);
  return isAlways ? undefined : times;
}

function isDecoration({ type }: RenderedBlock): boolean {
  return findBlockType(type)?.isDecoration === true;
}
