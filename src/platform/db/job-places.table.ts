import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far jobs have come that walk through a table, one slice after the other. */
export const jobPlaces = sqliteTable("job_places", {
  job: text("job").primaryKey(),
  /** The key of the last record that was looked at. */
  place: text("place").notNull(),
});
