import type { Arbitrary } from "fast-check";
import type {
  BlockType,
  PageFile,
} from "../../../src/features/biolinks/pages/blocks/block-type.ts";
import type { ThemeInput } from "../../../src/features/biolinks/pages/theme/theme.ts";
import type {
  PageBlock,
  PageDocument,
  PageSurroundings,
  RenderedPage,
} from "../../../src/features/biolinks/pages/view/page-document.ts";
import type { Audience, PagePart } from "../../../src/visitor/bio-pages/page-parts.ts";

/** What draws pages, for a test in Node that opens them in a browser. */
export interface PageParts {
  renderPage(document: PageDocument, surroundings: PageSurroundings): Promise<RenderedPage>;
  joinParts(
    parts: readonly PagePart[],
    audience: Audience,
    tokenOf: (id: string) => string,
  ): string;
  BLOCK_TYPES: readonly BlockType[];
  PRESETS: readonly { name: string }[];
  documentOf(blocks: PageBlock[], changes?: Partial<PageDocument>): PageDocument;
  everyBlock(): PageBlock[];
  surroundingsOf(file?: PageFile, changes?: Partial<PageSurroundings>): PageSurroundings;
  hostileBlock(type: BlockType, text: string): PageBlock;
  anyTheme: Arbitrary<ThemeInput>;
  /** Says whether the API takes a theme. */
  Theme: { safeParse(theme: ThemeInput): { success: boolean } };
}

const PAGES = "../../../src/features/biolinks/pages";
const MODULES = [
  `${PAGES}/view/render-page.ts`,
  `${PAGES}/blocks/block-types.ts`,
  `${PAGES}/theme/presets.ts`,
  `${PAGES}/theme/theme.schemas.ts`,
  "../../../src/visitor/bio-pages/page-parts.ts",
  "../page-documents.ts",
  "../hostile-blocks.ts",
  "../theme-arbitraries.ts",
];

/** By names that the compiler does not follow: it knows either a Worker's types or Node's, not both. */
export async function loadPageParts(): Promise<PageParts> {
  const modules = await Promise.all(MODULES.map((name) => import(/* @vite-ignore */ name)));
  return Object.assign({}, ...modules);
}
