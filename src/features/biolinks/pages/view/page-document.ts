import type { PagePart, Times, Visibility } from "../../../../visitor/bio-pages/page-parts.ts";
import type { BlockScript, FormState, Resolved } from "../blocks/block-type.ts";
import type { ThemeInput } from "../theme/theme.ts";

/** What a publish freezes: all that a visitor may see, but what its ids stand for. */
export interface PageDocument {
  title: string;
  /** BCP 47. */
  language: string;
  /** IANA. */
  time_zone: string;
  profile: {
    name: string | null;
    tagline: string | null;
    /** A file. */
    avatar: string | null;
  };
  theme: ThemeInput;
  seo: {
    title: string | null;
    description: string | null;
    /** A file. */
    image: string | null;
    indexable: boolean;
  };
  /** Those that are enabled, in order; settings as their schemas put them out. */
  blocks: PageBlock[];
}

export interface PageBlock {
  id: string;
  type: string;
  settings: object;
  visibility: Visibility | null;
}

/** Where a page is published, and what its ids stand for. */
export interface PageSurroundings extends Resolved {
  /** Absolute: the canonical address. */
  url: string;
  /** `/@handle`: clicks, forms and files of the page lie below it. */
  path: string;
  /** Absolute or on the host. */
  reportUrl?: string;
  privacyUrl: string;
  /** The address of some of our scripts, which are one file. */
  scriptOf?: (names: readonly BlockScript[]) => string;
  /** Of Cloudflare Turnstile; none: it is not set up. */
  turnstileSiteKey?: string;
  /** Forms that have taken as many submissions as they may, by their blocks. */
  fullForms?: ReadonlySet<string>;
  /** A form that is shown again. */
  form?: { blockId: string } & FormState;
  /** It has pixels: what a visit asks, or fires, is put at its end. */
  hasPixels?: boolean;
  /** A preview or an unpublished page is found by nobody, whatever its settings say. */
  isPreview?: boolean;
}

export interface RenderedPage {
  /** What a version keeps, and a visit joins with `joinParts`. */
  parts: PagePart[];
  /** The CSP source of the page's one style sheet: `'sha256-…'`. */
  styleHash: string;
  /** Scripts that the page loads: ours, and after a visitor's act of forms that ask for it Turnstile's. */
  scripts: string[];
  /** Origins that embeds load from after a click: CSP's `frame-src`. */
  frames: string[];
  /** What clicks lead to: by block, then by item; `""` is a block's only one. */
  destinations: Record<string, Record<string, string>>;
  /** Blocks that lead to a product, with its id; `""`: each item is the id of one. */
  products: Record<string, string>;
  /** Said as `X-Robots-Tag` as well as in the head. */
  noindex: boolean;
  /** When it shows something that is no decoration; left out when that is always, or never. */
  filledDuring?: Times[];
}
