import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

const count = (name: string) => integer(name).notNull().default(0);

/**
 * What each workspace has stored and caused: one row, kept by triggers, so that no writer can
 * forget. A migration holds them, and the size of a row of each counted table: its column `bytes`.
 */
export const workspaceUsage = sqliteTable("workspace_usage", {
  /** The workspace's. */
  id: text("id").primaryKey(),
  storedBytes: count("stored_bytes"),
  contacts: count("contacts"),
  links: count("links"),
  pages: count("pages"),
  products: count("products"),
  /** Whole hours since the epoch: the one of `deliveriesInHour`. */
  hour: count("hour"),
  deliveriesInHour: count("deliveries_in_hour"),
  pendingDeliveries: count("pending_deliveries"),
  /** 12 times the year, plus 0 to 11: the month of the next three; `…Before`: the one before. */
  month: count("month"),
  clicks: count("clicks"),
  deliveries: count("deliveries"),
  messages: count("messages"),
  clicksBefore: count("clicks_before"),
  deliveriesBefore: count("deliveries_before"),
  messagesBefore: count("messages_before"),
  /** Within a batch that counts its own rows, the bytes they have grown by; else null. */
  batchBytes: integer("batch_bytes"),
  /** Of files those in R2, which count apart. */
  fileBytes: count("file_bytes"),
  files: count("files"),
  /** Whole days since the epoch: the one of `uploadedBytes`, which deleting gives nothing back of. */
  uploadDay: count("upload_day"),
  uploadedBytes: count("uploaded_bytes"),
  /** Of the stored bytes those of tables that the recount does not walk: it takes them as they are. */
  otherBytes: count("other_bytes"),
  /** What the recount has seen so far; 0 between its passes. */
  recountedBytes: count("recounted_bytes"),
  recountedContacts: count("recounted_contacts"),
  recountedLinks: count("recounted_links"),
  /** Older code counted a batch's rows during the pass, which so cannot tell. */
  recountSpoilt: count("recount_spoilt"),
});

/** How far the recount has come: one row. The triggers add what changes behind this place. */
export const usageRecount = sqliteTable("usage_recount", {
  id: integer("id").primaryKey(),
  /** Which table, as the recount numbers them. */
  stage: count("stage"),
  /** The last id that was counted. */
  position: text("position").notNull().default(""),
  /** When the next pass may begin. */
  nextAt: count("next_at"),
});

/** What a workspace of each plan may have. A migration fills it; an operator may change it. */
export const planLimits = sqliteTable("plan_limits", {
  plan: text("plan").primaryKey(),
  storedBytes: integer("stored_bytes").notNull(),
  pages: integer("pages").notNull().default(5),
  deliveriesAnHour: integer("deliveries_an_hour").notNull(),
  pendingDeliveries: integer("pending_deliveries").notNull(),
  // They came later than the first rows: the free plan's.
  fileBytes: integer("file_bytes").notNull().default(52_428_800),
  files: integer("files").notNull().default(1000),
  products: integer("products").notNull().default(1000),
});
