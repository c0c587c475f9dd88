import type { PageFile, PageProduct } from "../../src/features/biolinks/pages/blocks/block-type.ts";
import { BLOCK_TYPES } from "../../src/features/biolinks/pages/blocks/block-types.ts";
import type {
  PageBlock,
  PageDocument,
  PageSurroundings,
} from "../../src/features/biolinks/pages/view/page-document.ts";

export const FILE_ID = "01930000-0000-7000-8000-000000000001";
const PRODUCT_IDS = [1, 2, 3, 4].map((n) => `01930000-0000-7000-8000-00000000000${n}`);

export function blockId(index: number): string {
  return `01930000-0000-7000-8000-${String(index).padStart(12, "0")}`;
}

/** One block of each type, with its sample, and a link to a product. */
export function everyBlock(): PageBlock[] {
  const blocks = BLOCK_TYPES.map(({ type, sample }, index) => ({
    id: blockId(index),
    type,
    settings: type === "products" ? { ...sample, products: PRODUCT_IDS } : sample,
    visibility: null,
  }));
  const settings = { label: "The cup of the month", product: PRODUCT_IDS[2] };
  return [...blocks, blockOf("link", settings, blocks.length)];
}

export function blockOf(type: string, settings: object, index = 0): PageBlock {
  return { id: blockId(index), type, settings, visibility: null };
}

export function documentOf(blocks: PageBlock[], changes: Partial<PageDocument> = {}): PageDocument {
  return {
    title: "Ada Lindqvist",
    language: "en",
    time_zone: "Europe/Stockholm",
    profile: {
      name: "Ada Lindqvist",
      tagline: "Stoneware for everyday tables, made by the sea in Malmö",
      avatar: null,
    },
    theme: { preset: "meadow" },
    seo: { title: null, description: null, image: null, indexable: true },
    blocks,
    ...changes,
  };
}

const product = (index: number, changes: Partial<PageProduct>): [string, PageProduct] => {
  const id = PRODUCT_IDS[index] ?? "";
  return [
    id,
    {
      id,
      title: "Breakfast bowl, moss",
      description: "A bowl for porridge.",
      url: `https://shop.example.com/${index}`,
      image: null,
      price: { amount: 4200, currency: "EUR" },
      sale_price: null,
      availability: "in_stock",
      brand: "Studio Saltglaze",
      ...changes,
    },
  ];
};

export function surroundingsOf(
  file: PageFile | undefined = {
    url: "/assets/f/picture.png",
    type: "image/png",
    bytes: 84_200,
    width: 1200,
    height: 800,
  },
  changes: Partial<PageSurroundings> = {},
): PageSurroundings {
  return {
    files: new Map(file ? [[FILE_ID, file]] : []),
    links: new Map([[FILE_ID, { url: "https://go.example.com/spring", host: "example.com" }]]),
    products: new Map([
      product(0, { image: file ?? null }),
      product(1, {
        title: "Tall vase",
        sale_price: { amount: 9900, currency: "EUR" },
        price: { amount: 12_500, currency: "EUR" },
      }),
      product(2, {
        title: "Espresso cup, set of two",
        availability: "out_of_stock",
        sale_price: { amount: 3600, currency: "EUR" },
        sale_starts_at: -1000,
        sale_ends_at: 1000,
      }),
      product(3, { title: "Gift card", url: null, availability: "preorder" }),
    ]),
    collections: new Map(),
    posts: [
      ["Glazing day", "instagram"],
      ["Three mistakes with a new kiln", "youtube"],
      [null, null],
    ].map(([title, network], index) => ({
      title: title ?? null,
      network: network ?? null,
      id: blockId(100 + index),
      url: index === 1 ? null : `https://social.example/posts/${index}`,
      published_at: Date.UTC(2026, 10, 20 - index, 8),
    })),
    url: "https://signpost.example/@ada",
    path: "/@ada",
    reportUrl: "/_report?page=ada",
    privacyUrl: "/_privacy",
    ...changes,
  };
}
