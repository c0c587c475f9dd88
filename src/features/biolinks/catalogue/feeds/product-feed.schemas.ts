import { z } from "@hono/zod-openapi";
import { withDefault } from "../../../../api/blank.ts";
import type { FeedField } from "./feed-columns.ts";
import { FEED_ADDRESS } from "./product-feed.examples.ts";

export const FeedQuery = z.object({
  format: withDefault(z.enum(["csv", "rss"]), "csv").openapi({
    description: "What kind of file.",
    default: "csv",
  }),
});

export const FeedAddress = z
  .object({
    csv_url: z.string(),
    rss_url: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("FeedAddress", {
    example: FEED_ADDRESS,
    description: "Whoever has one of the addresses gets the feed, without a key.",
  });
export type FeedAddress = z.output<typeof FeedAddress>;

export const FeedAddressAnswer = z.object({ data: FeedAddress });

/** What the description calls a row of a feed. */
export const FEED_ROW = "ProductFeedRow";

const cell = (description: string) => z.string().optional().openapi({ description });
const label = cell("One of up to five labels.");

/** Every column that is read, so that none is forgotten here; all of them are text. */
const COLUMNS = {
  id: z.string().openapi({ description: "The product's `external_id`.", example: "MUG-01" }),
  title: cell("Of a new product it must be there."),
  description: cell("Kept with the blanks around it."),
  link: cell("The product's `url`: http or https."),
  image_link: cell("The address of its picture, of a file of the workspace or elsewhere."),
  additional_image_link: cell("More addresses, separated by commas, or in a column each."),
  price: cell("As `12.50 USD`."),
  sale_price: cell("As `9.90 USD`: less than the price, in its currency."),
  sale_price_effective_date: cell(
    "From when to when the sale price holds: two times, `/` between.",
  ),
  sale_price_start_date: cell("From when the sale price holds."),
  sale_price_end_date: cell("Until when the sale price holds."),
  availability: cell("As `in stock` or `in_stock`."),
  condition: cell("`new`, `refurbished` or `used`."),
  brand: cell("Who makes it."),
  gtin: cell("A GTIN-8, -12, -13 or -14 (EAN, UPC, ISBN)."),
  mpn: cell("The maker's number of it."),
  item_group_id: cell("The same for all variants of a product."),
  google_product_category: cell("By Google's taxonomy."),
  product_type: cell("By your own taxonomy."),
  custom_label_0: label,
  custom_label_1: label,
  custom_label_2: label,
  custom_label_3: label,
  custom_label_4: label,
  status: cell("`active` or `hidden`."),
} satisfies Record<FeedField, z.ZodType>;

/** A row of a feed's file: what is in its cells is judged as the product that it makes. */
export const ProductFeedRow = z.object(COLUMNS).openapi({
  description:
    "A row of a feed in CSV or in tab separated values, by the names of its columns. A field without a column stays as it is; an empty cell takes a field away.",
});
