import type { z } from "@hono/zod-openapi";
import type { Html } from "../markup/html.ts";
import type { Words } from "../markup/words.ts";

/** A file of the workspace, as a page loads it. */
export interface PageFile {
  url: string;
  /** Media type. */
  type: string;
  bytes: number;
  /** Pixels; null: no picture. */
  width: number | null;
  height: number | null;
}

export interface PageProduct {
  id: string;
  title: string;
  description: string | null;
  url: string | null;
  image: PageFile | null;
  price: { amount: number; currency: string } | null;
  /** It holds from one time to the other, in milliseconds; without them always. */
  sale_price: { amount: number; currency: string } | null;
  sale_starts_at?: number | null;
  sale_ends_at?: number | null;
  availability: "in_stock" | "out_of_stock" | "preorder" | "backorder" | "discontinued";
  brand: string | null;
}

/** A post has a title or an address. */
export interface PagePost {
  /** In paths: the same whenever the post is told of. */
  id: string;
  title: string | null;
  /** Null: none that a page may lead to. */
  url: string | null;
  network: string | null;
  /** Milliseconds. */
  published_at: number;
}

/** What blocks name, as the publisher found it. What is missing is not drawn. */
export interface Resolved {
  files: ReadonlyMap<string, PageFile>;
  /** A short link by its id: its public address, and the host it leads to. */
  links: ReadonlyMap<string, { url: string; host: string | null }>;
  products: ReadonlyMap<string, PageProduct>;
  /** The visible products of a collection by its id, in order, at most 24. */
  collections: ReadonlyMap<string, readonly PageProduct[]>;
  /** Newest first, at most 12. */
  posts: readonly PagePost[];
}

/** What a visitor sent to a form that is shown again. */
export interface FormState {
  values: Readonly<Record<string, string | readonly string[]>>;
  /** By field id; `""`: about the form as a whole. */
  errors: Readonly<Record<string, string>>;
}

export interface BlockContext extends Resolved {
  blockId: string;
  /** BCP 47. */
  language: string;
  /** IANA. */
  timeZone: string;
  /** What we say of our own accord, in the page's language. */
  words: Words;
  /** The page's absolute address. */
  pageUrl: string;
  /** `/@handle`: what belongs to the page lies below it. */
  path: string;
  /**
   * The address to put into a link. What leads to the web goes through `/@handle/go/{block}`, or
   * `/@handle/go/{block}/{item}` for one of several; mailto, tel and sms go directly. `product`: the
   * id of the one that it leads to, which is the item if there is an item.
   */
  go(address: string, item?: string, product?: string): string;
  /** Tells of an origin that the block loads from after a click. */
  frame(origin: string): void;
  /** What is shown from a time to another, in milliseconds; null: from ever, or for ever. */
  during(from: number | null, to: number | null, shown: Html): Html;
  /** Tells of a script that the block needs, and of another's that it loads after its visitor's act. */
  load(script: BlockScript, foreign: string): void;
  /** Of Cloudflare Turnstile; empty: it is not set up. */
  turnstileSiteKey: string;
  /** Where a visit puts the form's signed token: the value of an input. */
  formToken(): Html;
  /** Set while this block's form is shown again. */
  formState: FormState | null;
  /** Whether this block's form has taken as many submissions as it may. */
  isFull: boolean;
}

/** What a block names: checked when it is written, resolved when the page is published. */
export interface Name {
  kind: "file" | "link" | "product" | "collection" | "tag" | "contact_field" | "posts";
  id: string;
  /** Where it stands in the settings, dotted: `thumbnail.file`. */
  field: string;
  /** Only of files. */
  accepts?: "image" | "any";
}

/** Scripts that a block is better with; each block works without. */
export type BlockScript = "embed" | "countdown" | "turnstile";

/** What search engines read of a block: other addresses of whom the page is about, and things on it. */
export interface LinkedData {
  sameAs?: string[];
  /** Of schema.org. */
  things?: object[];
}

export interface BlockType<Settings = object> {
  type: string;
  /** One sentence for the API's catalogue. */
  description: string;
  /** Validates what clients send, and what is stored stays valid input. */
  settings: z.ZodType<Settings>;
  /** Valid settings that look good, with ids that need not exist. */
  sample: NoInfer<Settings>;
  names(settings: Settings): Name[];
  /** Nothing (`html```) when what it names is gone. */
  view(settings: Settings, context: BlockContext): Html;
  /** What stands in its place from a moment on, in milliseconds. */
  after?(settings: Settings, context: BlockContext): { at: number; view: Html } | undefined;
  linkedData?(settings: Settings, context: BlockContext): LinkedData;
  /** The style rules that only it needs. */
  css?: string;
  /** The type whose rules it needs as well. */
  sharesCssOf?: string;
  script?: BlockScript;
  /** Whether it is no content of its own: a page of only such blocks counts as empty. */
  isDecoration?: true;
}

/** Ties the types of one block type together. */
export function defineBlock<Settings extends object>(
  type: BlockType<Settings>,
): BlockType<Settings> {
  return type;
}
