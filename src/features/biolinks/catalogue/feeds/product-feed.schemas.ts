import { z } from "@hono/zod-openapi";
import { withDefault } from "../../../../api/blank.ts";
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
