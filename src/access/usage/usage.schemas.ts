import { z } from "@hono/zod-openapi";
import { USAGE } from "./usage.examples.ts";

const count = z.number().int().min(0);

export const Month = z
  .object({
    month: z.string().openapi({ example: "2026-11", description: "In UTC." }),
    clicks: count.openapi({ description: "People's." }),
    deliveries: count.openapi({ description: "Of webhooks and automation hooks, tests included." }),
    messages: count.openapi({ description: "Outbound and inbound." }),
  })
  .openapi("MonthOfUsage");

const limit = z.number().int().nullable();

const Usage = z
  .object({
    links: count,
    pages: count,
    products: count,
    contacts: count,
    stored_bytes: count.openapi({
      description:
        "Contacts, links, pixels, QR codes, pages with their versions, what visitors sent in forms, products and their imports, collections, segments, tags, stages, messages, events, deliveries, and what is noted of files, with their indexes: an estimate, kept as they change.",
    }),
    files: count,
    file_bytes: count.openapi({ description: "Of uploaded files, which count apart." }),
    pending_deliveries: count,
    deliveries_this_hour: count,
    limits: z
      .object({
        stored_bytes: limit,
        pages: limit,
        products: limit,
        files: limit,
        file_bytes: limit,
        deliveries_an_hour: limit,
        pending_deliveries: limit,
      })
      .openapi({ description: "Of the workspace's plan; null: none." }),
    this_month: Month,
    last_month: Month,
  })
  .openapi("Usage", { example: USAGE });
export type Usage = z.input<typeof Usage>;

export const UsageAnswer = z.object({ data: Usage });
