import { toBase64 } from "../../../../platform/bytes.ts";
import { sha256 } from "../../../../platform/crypto/digest.ts";
import type { BlockPart, PagePart } from "../../../../visitor/bio-pages/page-parts.ts";
import { measured } from "../blocks/block-fields.ts";
import type { BlockType } from "../blocks/block-type.ts";
import { findBlockType } from "../blocks/block-types.ts";
import { type Html, html, trusted } from "../markup/html.ts";
import { directionOf, wordsOf } from "../markup/words.ts";
import { resolveTheme } from "../theme/resolve-theme.ts";
import { themeCss } from "../theme/theme-css.ts";
import { CONSENT_BAR_CSS, consentBar } from "./consent-bar.ts";
import { filledDuring, isNeverFilled } from "./filled-during.ts";
import { pageCss } from "./page-css.ts";
import type { PageDocument, PageSurroundings, RenderedPage } from "./page-document.ts";
import { headOf } from "./page-head.ts";
import { type RenderedBlock, renderBlocks } from "./render-blocks.ts";

/** A page's HTML and what serving it needs. The same document gives the same bytes. */
export async function renderPage(
  document: PageDocument,
  surroundings: PageSurroundings,
): Promise<RenderedPage> {
  const theme = resolveTheme(document.theme);
  const { blocks, destinations, products } = renderBlocks(document, surroundings);
  const types = [...new Set(blocks.map(({ type }) => type))].flatMap(
    (type) => findBlockType(type) ?? [],
  );
  const css =
    themeCss(theme) +
    pageCss(theme) +
    blockCss(types) +
    (surroundings.hasPixels ? CONSENT_BAR_CSS : "");
  const style = css.replaceAll("\n", "");
  const noindex =
    !document.seo.indexable || isNeverFilled(blocks) || surroundings.isPreview === true;
  const filled = noindex ? undefined : filledDuring(blocks);
  const needed = [
    ...types.flatMap(({ script }) => script ?? []),
    ...blocks.flatMap((block) => block.scripts),
  ];
  const script = needed.length > 0 && surroundings.scriptOf?.(needed);
  const { language } = document;
  const head = headOf(document, surroundings, { theme, blocks, noindex });
  const { background } = theme;
  const picture = background.type === "image" && surroundings.files.get(background.file);
  const top = html`<!doctype html><html lang="${language}" dir="${directionOf(language)}"><head>${head}<style>${trusted(style)}</style>${script && html`<script src="${script}" defer></script>`}</head><body>${picture && html`<img class="back" src="${picture.url}"${measured(picture)} alt="">`}<main>${header(document, surroundings)}`;
  const words = wordsOf(language);
  const { reportUrl } = surroundings;
  const report = reportUrl ? html`<a href="${reportUrl}" rel="nofollow">${words.report}</a>` : "";
  const bottom = html`</main><footer>${report}<a href="${surroundings.privacyUrl}" rel="nofollow">${words.privacy}</a></footer>`;
  const slot: PagePart[] = surroundings.hasPixels
    ? [{ kind: "pixels", bar: consentBar(words, surroundings).text }]
    : [];
  return {
    parts: partsOf(top, blocks, [bottom.text, ...slot, "</body></html>"]),
    styleHash: `'sha256-${toBase64(await sha256(style))}'`,
    scripts: [
      ...(script ? [script] : []),
      ...new Set(blocks.flatMap(({ foreignScripts }) => foreignScripts)),
    ],
    frames: [...new Set(blocks.flatMap(({ frames }) => frames))],
    destinations,
    products,
    noindex,
    ...(filled && { filledDuring: filled }),
  };
}

/** The rules of each type that is on the page, once. */
function blockCss(types: BlockType[]): string {
  const names = types.flatMap(({ type, sharesCssOf }) =>
    sharesCssOf ? [sharesCssOf, type] : [type],
  );
  return [...new Set(names)].map((name) => findBlockType(name)?.css ?? "").join("");
}

function header({ profile, title }: PageDocument, { files }: PageSurroundings): Html {
  const name = profile.name ?? title;
  const face = profile.avatar === null ? undefined : files.get(profile.avatar);
  return html`<header class="top">${
    face
      ? html`<img class="face" src="${face.url}" width="96" height="96" alt="">`
      : html`<span class="face letter" aria-hidden="true">${initialOf(name)}</span>`
  }<h1>${name}</h1>${profile.tagline && html`<p>${profile.tagline}</p>`}</header>`;
}

/** The first letter as readers see it, accents and all; a flag or an emoji stays whole. */
function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? "";
}

/** Neighbours that everybody is shown become one text. */
function partsOf(top: Html, blocks: RenderedBlock[], bottom: PagePart[]): PagePart[] {
  const parts: PagePart[] = [top.text];
  for (const block of blocks) {
    const { id, visibility, content, after } = block;
    if (after) {
      parts.push(...beforeAndAfter(block, after));
    } else if (visibility) {
      const part: BlockPart = { kind: "block", blockId: id, visibility, content };
      parts.push(part);
    } else {
      parts.push(...content);
    }
  }
  parts.push(...bottom);
  return parts.reduce<PagePart[]>((joined, part) => {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string")
      joined[joined.length - 1] = last + part;
    else joined.push(part);
    return joined;
  }, []);
}

/** A block until a moment, and what stands in its place from then on. */
function beforeAndAfter(
  { id: blockId, visibility, content }: RenderedBlock,
  after: { at: number; content: string },
): BlockPart[] {
  const { starts_at = after.at, ends_at = after.at } = visibility ?? {};
  const until = { ...visibility, ends_at: Math.min(ends_at, after.at) };
  const from = { ...visibility, starts_at: Math.max(starts_at, after.at) };
  return [
    { kind: "block", blockId, visibility: until, content },
    { kind: "block", blockId, visibility: from, content: [after.content] },
  ];
}
