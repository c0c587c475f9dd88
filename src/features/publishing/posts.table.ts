import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaceId } from "../../platform/db/columns.ts";

/**
 * The last 12 posts of each workspace that went out, for pages: they outlive their events. A trigger
 * writes them with the event `publishing.post.published`, whoever takes that in.
 */
export const latestPosts = sqliteTable(
  "latest_posts",
  {
    workspaceId: workspaceId(),
    /** What the publishing product calls it: told of again, it is the same post. */
    postId: text("post_id").notNull(),
    /** The event that told of it last. */
    eventId: text("event_id").notNull(),
    title: text("title"),
    /** As it was told: whoever shows it judges it. */
    url: text("url"),
    network: text("network"),
    /** Never later than its event. */
    publishedAt: integer("published_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.postId] }),
    index("latest_posts_order").on(table.workspaceId, table.publishedAt, table.eventId),
  ],
);
