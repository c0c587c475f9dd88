/** Tells the code that draws pages from code of before: by what it makes of samples. */
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import type { PageFile } from "./blocks/block-type.ts";
import { BLOCK_TYPES } from "./blocks/block-types.ts";
import { SCRIPT_SOURCES } from "./script-sources.ts";
import { PRESETS } from "./theme/presets.ts";
import type { PageDocument, PageSurroundings } from "./view/page-document.ts";
import { renderPage } from "./view/render-page.ts";

/**
 * To be raised when pages are drawn otherwise in a way that no sample shows. 4: an event across a
 * change of clocks names both zones, and it is noted when a page shows something.
 */
const EDITION = 4;
const CODE_LENGTH = 12;
const ID = "01930000-0000-7000-8000-000000000001";

/** Has the same for whatever is asked. */
class Always<Value> extends Map<string, Value> {
  readonly #value: Value;
  constructor(value: Value) {
    super();
    this.#value = value;
  }
  override get(): Value {
    return this.#value;
  }
}

const FILE: PageFile = { url: "/assets/f/x.png", type: "image/png", bytes: 9, width: 3, height: 2 };
const PRODUCT = {
  id: ID,
  title: "Bowl",
  description: "For porridge.",
  url: "https://shop.example/bowl",
  image: FILE,
  price: { amount: 4200, currency: "EUR" },
  sale_price: { amount: 3900, currency: "EUR" },
  availability: "in_stock" as const,
  brand: "Ada",
};
const SURROUNDINGS: PageSurroundings = {
  files: new Always(FILE),
  links: new Always({ url: "https://go.example/x", host: "example.com" }),
  products: new Always(PRODUCT),
  collections: new Always([PRODUCT]),
  posts: [
    {
      id: ID,
      title: "Glazing",
      url: "https://posts.example/1",
      network: "youtube",
      published_at: 0,
    },
    { id: ID, title: "Firing", url: null, network: null, published_at: 0 },
  ],
  url: "https://signpost.example/@ada",
  path: "/@ada",
  reportUrl: "/_report",
  privacyUrl: "/_privacy",
  hasPixels: true,
  scriptOf: (names) => `/assets/s/${names.join("-")}.js`,
};

let code: Promise<string> | undefined;

/** Worked out once an isolate. */
export function drawingCode(): Promise<string> {
  code ??= drawSamples();
  return code;
}

async function drawSamples(): Promise<string> {
  const drawn = await Promise.all(
    PRESETS.map(({ name }) => renderPage(sampleOf(name), SURROUNDINGS)),
  );
  return (await sha256Hex(JSON.stringify([EDITION, SCRIPT_SOURCES, drawn]))).slice(0, CODE_LENGTH);
}

/** Every block by its sample. */
function sampleOf(preset: string): PageDocument {
  return {
    title: "Ada",
    language: "en",
    time_zone: "UTC",
    profile: { name: "Ada", tagline: "By the sea", avatar: ID },
    theme: { preset },
    seo: { title: null, description: "Stoneware", image: ID, indexable: true },
    blocks: BLOCK_TYPES.map(({ type, sample }, at) => {
      const id = ID.slice(0, -2) + String(at).padStart(2, "0");
      return { id, type, settings: sample, visibility: null };
    }),
  };
}
