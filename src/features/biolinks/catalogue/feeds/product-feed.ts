/** A feed of all products of a workspace, made while it is read. */

import { toBytes } from "../../../../platform/bytes.ts";
import type { Context } from "../../../../platform/context/context.ts";
import { findFiles } from "../../files/files.ports.ts";
import type { ProductImage } from "../product-fields.ts";
import { fileIdsOf } from "../product-writes.repository.ts";
import type { ProductRow } from "../products.repository.ts";
import { productsAfter } from "../products.service.ts";
import { CSV_HEAD, csvLine } from "./feed-csv.ts";
import type { FeedProduct } from "./feed-product.ts";
import { RSS_END, rssHead, rssItem } from "./feed-rss.ts";

export const FEED_FORMATS = {
  csv: { mediaType: "text/csv", contentType: "text/csv; charset=utf-8", ending: "csv" },
  rss: {
    mediaType: "application/rss+xml",
    contentType: "application/rss+xml; charset=utf-8",
    ending: "xml",
  },
} as const;
export type FeedFormat = keyof typeof FEED_FORMATS;

export interface Feed {
  format: FeedFormat;
  /** Without hidden products, as for anybody. */
  isPublic: boolean;
}

/** A database answer's share: 50,000 products are 200 of them. */
const PRODUCTS_A_PAGE = 250;

/** The first part is there when the stream is: what fails by then fails as an answer. */
export async function openFeed(ctx: Context, feed: Feed): Promise<ReadableStream<Uint8Array>> {
  const chunks = chunksOf(ctx, feed);
  let next: IteratorResult<string, undefined> | undefined = await chunks.next();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = next ?? (await chunks.next());
      next = undefined;
      if (value === undefined) controller.close();
      else controller.enqueue(toBytes(value));
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf(
  ctx: Context,
  { format, isPublic }: Feed,
): AsyncGenerator<string, undefined> {
  const { head, write, end } = WRITERS[format](ctx);
  let text = head;
  for (let afterId = "", isLast = false; !isLast; ) {
    const rows = await productsAfter(ctx, afterId, PRODUCTS_A_PAGE);
    const shown = isPublic ? rows.filter(({ status }) => status === "active") : rows;
    text += (await tellAll(ctx, shown)).map(write).join("");
    isLast = rows.length < PRODUCTS_A_PAGE;
    afterId = rows.at(-1)?.id ?? "";
    if (isLast) text += end;
    if (text !== "") yield text;
    text = "";
  }
}

interface Writer {
  head: string;
  write: (product: FeedProduct) => string;
  end: string;
}

const WRITERS: Record<FeedFormat, (ctx: Context) => Writer> = {
  csv: () => ({ head: CSV_HEAD, write: csvLine, end: "" }),
  rss: ({ platformOrigin }) => ({
    head: rssHead({ title: "Products", link: platformOrigin }),
    write: rssItem,
    end: RSS_END,
  }),
};

/** Products with the addresses of their pictures. */
async function tellAll(ctx: Context, rows: readonly ProductRow[]): Promise<FeedProduct[]> {
  const files = await findFiles(ctx, rows.flatMap(fileIdsOf));
  const addressOf = (image: ProductImage | null) => {
    if (!image) return null;
    return "url" in image ? image.url : (files.get(image.file)?.url ?? null);
  };
  return rows.map((row) => tell(row, addressOf));
}

function tell(
  row: ProductRow,
  addressOf: (image: ProductImage | null) => string | null,
): FeedProduct {
  const { currency } = row;
  const priceOf = (amount: number | null) =>
    amount === null || currency === null ? null : { amount, currency };
  return {
    ...row,
    image: addressOf(row.image),
    additionalImages: row.additionalImages.flatMap((image) => addressOf(image) ?? []),
    price: priceOf(row.priceAmount),
    salePrice: priceOf(row.saleAmount),
    saleTimes: { startsAt: row.saleStartsAt, endsAt: row.saleEndsAt },
  };
}
