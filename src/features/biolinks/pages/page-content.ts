/** A draft as the document that a version holds. */
import { jsonBytes } from "../../../platform/bytes.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import type { PageRow } from "./pages.repository.ts";
import type { VersionBlock, VersionDocument } from "./version-document.ts";

/** The fields of a page that a version holds. */
export type PageContent = Pick<
  PageRow,
  | "title"
  | "language"
  | "timeZone"
  | "profile"
  | "theme"
  | "seo"
  | "sensitiveContent"
  | "pixels"
  | "utm"
>;

export function documentOf(page: PageContent, blocks: VersionBlock[]): VersionDocument {
  const { title, language, timeZone, profile, theme, seo, pixels, utm } = page;
  const settings = { sensitive_content: page.sensitiveContent, pixels, utm };
  const fields = { title, language, time_zone: timeZone, profile, theme, seo, settings };
  return { ...fields, blocks: blocks.map(toVersionBlock) };
}

function toVersionBlock(block: VersionBlock): VersionBlock {
  const { id, type, enabled, settings, visibility } = block;
  return { id, type, enabled, settings, visibility };
}

/** The inverse of {@link documentOf}, but for the blocks. */
export function contentOf(document: VersionDocument): PageContent {
  const { title, language, time_zone, profile, theme, seo, settings } = document;
  const { sensitive_content, pixels, utm } = settings;
  const fields = { title, language, timeZone: time_zone, profile, theme, seo, pixels, utm };
  return { ...fields, sensitiveContent: sensitive_content };
}

/** What a page takes of its document without its blocks, in bytes. */
export function contentBytes(page: PageContent): number {
  return jsonBytes(documentOf(page, []));
}

/** What blocks take of their page's document, in bytes, with a comma after each. */
export function blocksBytes(blocks: VersionBlock[]): number {
  return blocks.reduce((sum, block) => sum + jsonBytes(toVersionBlock(block)) + 1, 0);
}

/** Blocks in the order of their page; one that came or went meanwhile is left out. */
export function inOrder({ blockOrder }: Pick<PageRow, "blockOrder">, blocks: BlockRow[]) {
  const byId = new Map(blocks.map((block) => [block.id, block]));
  return blockOrder.flatMap((id) => byId.get(id) ?? []);
}
