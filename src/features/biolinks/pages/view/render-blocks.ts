import type { BlockContent, Visibility } from "../../../../visitor/bio-pages/page-parts.ts";
import type { BlockContext, BlockScript, LinkedData } from "../blocks/block-type.ts";
import { findBlockType } from "../blocks/block-types.ts";
import { trusted } from "../markup/html.ts";
import { isWebAddress } from "../markup/safe-address.ts";
import { wordsOf } from "../markup/words.ts";
import type { PageBlock, PageDocument, PageSurroundings, RenderedPage } from "./page-document.ts";

export interface RenderedBlock {
  id: string;
  type: string;
  visibility: Visibility | null;
  content: BlockContent[];
  /** What stands in its place from a moment on, in milliseconds. */
  after: { at: number; content: string } | null;
  /** Origins that it loads from after a click. */
  frames: string[];
  /** Scripts that it needs besides its type's. */
  scripts: BlockScript[];
  /** Others' that these load after a visitor's act. */
  foreignScripts: string[];
  /** What search engines are told; nothing of a block that is not for everybody. */
  linkedData: LinkedData;
}

/** Where a token goes. No text of a person's has U+0000: storing and escaping refuse it. */
const TOKEN_MARK = "\0token\0";
/** What stands between them is shown from one time to another. */
const MOMENT = /\0during (-?\d*) (-?\d*)\0([^\0]*)\0/;
const SLOTS = new RegExp(`(${TOKEN_MARK}|\0during -?\\d* -?\\d*\0[^\0]*\0)`);

/** Every block that has something to show, where its links lead, and to which products. */
export function renderBlocks(
  document: PageDocument,
  surroundings: PageSurroundings,
): { blocks: RenderedBlock[] } & Pick<RenderedPage, "destinations" | "products"> {
  const destinations: RenderedPage["destinations"] = {};
  const products: RenderedPage["products"] = {};
  const blocks = document.blocks.flatMap((block): RenderedBlock[] => {
    const type = findBlockType(block.type);
    if (!type) return [];
    const leadsTo: Record<string, string> = {};
    const frames: string[] = [];
    const scripts: BlockScript[] = [];
    const foreignScripts: string[] = [];
    const told = { leadsTo, products, frames, scripts, foreignScripts };
    const context = contextOf(block, document, surroundings, told);
    const { text } = type.view(block.settings, context);
    if (!text) return [];
    if (Object.keys(leadsTo).length > 0) destinations[block.id] = leadsTo;
    const { id, visibility } = block;
    const linkedData = visibility ? {} : (type.linkedData?.(block.settings, context) ?? {});
    const then = type.after?.(block.settings, context);
    const after = then ? { at: then.at, content: then.view.text } : null;
    const content = withSlots(text, id);
    const loaded = { frames, scripts, foreignScripts };
    return [{ id, type: block.type, visibility, content, after, ...loaded, linkedData }];
  });
  return { blocks, destinations, products };
}

function contextOf(
  { id }: PageBlock,
  { language, time_zone }: PageDocument,
  { form, path, ...surroundings }: PageSurroundings,
  told: Pick<RenderedBlock, "frames" | "scripts" | "foreignScripts"> &
    Pick<RenderedPage, "products"> & { leadsTo: Record<string, string> },
): BlockContext {
  const { files, links, products, collections, posts, url } = surroundings;
  return {
    ...{ files, links, products, collections, posts, path, language },
    pageUrl: url,
    blockId: id,
    timeZone: time_zone,
    words: wordsOf(language),
    go(address, item = "", product = undefined) {
      if (!isWebAddress(address)) return address;
      told.leadsTo[item] = address;
      if (product !== undefined) told.products[id] = item ? "" : product;
      return `${path}/go/${id}${item && `/${encodeURIComponent(item)}`}`;
    },
    frame(origin) {
      told.frames.push(origin);
    },
    load(script, foreign) {
      told.scripts.push(script);
      told.foreignScripts.push(foreign);
    },
    turnstileSiteKey: surroundings.turnstileSiteKey ?? "",
    during: (from, to, shown) => trusted(`\0during ${from ?? ""} ${to ?? ""}\0${shown.text}\0`),
    formToken: () => trusted(TOKEN_MARK),
    formState: form?.blockId === id ? form : null,
    isFull: surroundings.fullForms?.has(id) ?? false,
  };
}

function withSlots(text: string, blockId: string): BlockContent[] {
  return text.split(SLOTS).flatMap((piece): BlockContent[] => {
    if (piece === "") return [];
    if (piece === TOKEN_MARK) return [{ kind: "form_token", blockId }];
    const [all, from, to, content] = MOMENT.exec(piece) ?? [];
    if (all === undefined || content === undefined) return [piece];
    return [
      {
        kind: "moment",
        ...(from && { starts_at: Number(from) }),
        ...(to && { ends_at: Number(to) }),
        content,
      },
    ];
  });
}
