import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { workspaces } from "../../../access/workspaces/workspaces.table.ts";
import { createdAt, id, updatedAt, workspaceId } from "../../../platform/db/columns.ts";
import type { Visibility } from "../../../visitor/bio-pages/page-parts.ts";
import type { PublishedPage } from "../../../visitor/bio-pages/published-page.ts";
import type { Utm } from "../../../visitor/decide/visitor-link.ts";
import type { VersionDocument, VersionSettings } from "./version-document.ts";
import type { PageDocument } from "./view/page-document.ts";

/**
 * Pages: the draft, which everything edits, and which version of it visitors get. Handle, domain,
 * password and `disabled` are no part of a version: they hold at once.
 */
export const pages = sqliteTable(
  "pages",
  {
    id: id(),
    workspaceId: workspaceId().references(() => workspaces.id),
    /** Null: the platform host. No foreign key: a page outlives its domain, unreachable. */
    domainId: text("domain_id"),
    handle: text("handle").notNull(),
    /** The handle in lower case: what visitors' paths are matched with. */
    handleKey: text("handle_key").notNull(),
    /** Whether it stands at its domain's `/`, too. */
    domainRoot: integer("domain_root", { mode: "boolean" }).notNull(),
    status: text("status").$type<"draft" | "published" | "paused">().notNull(),
    /** The operator's own switch, which the workspace cannot undo. */
    disabled: integer("disabled", { mode: "boolean" }).notNull(),
    passwordHash: text("password_hash"),
    title: text("title").notNull(),
    language: text("language").notNull(),
    timeZone: text("time_zone").notNull(),
    profile: text("profile", { mode: "json" }).$type<PageDocument["profile"]>().notNull(),
    theme: text("theme", { mode: "json" }).$type<PageDocument["theme"]>().notNull(),
    seo: text("seo", { mode: "json" }).$type<PageDocument["seo"]>().notNull(),
    sensitiveContent: integer("sensitive_content", { mode: "boolean" }).notNull(),
    pixels: text("pixels", { mode: "json" }).$type<string[]>().notNull(),
    utm: text("utm", { mode: "json" }).$type<Utm>().notNull(),
    /** The ids of its blocks, in their order: a block that is not here is a tombstone. */
    blockOrder: text("block_order", { mode: "json" }).$type<string[]>().notNull(),
    /** What the document takes without its blocks. */
    contentBytes: integer("content_bytes").notNull(),
    /** What its blocks take of the document. */
    blocksBytes: integer("blocks_bytes").notNull(),
    /** Changes with every write of the page or of a block. */
    revision: text("revision").notNull(),
    /** Changes with every write of what a version holds. */
    contentRevision: text("content_revision").notNull(),
    /** The content revision that was published last; null: visitors get nothing. */
    publishedContent: text("published_content"),
    publishedVersion: integer("published_version"),
    publishedAt: integer("published_at"),
    /** What of the published version visitors meet before the page itself. */
    publishedSettings: text("published_settings", { mode: "json" }).$type<VersionSettings>(),
    /** The number of the newest version; 0: there is none. */
    lastVersion: integer("last_version").notNull(),
    /** What its versions and tombstones take: triggers keep it. */
    keptBytes: integer("kept_bytes").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("pages_platform_handle").on(table.handleKey).where(sql`${table.domainId} IS NULL`),
    uniqueIndex("pages_domain_handle")
      .on(table.domainId, table.handleKey)
      .where(sql`${table.domainId} IS NOT NULL`),
    uniqueIndex("pages_domain_root").on(table.domainId).where(sql`${table.domainRoot} = 1`),
    index("pages_workspace").on(table.workspaceId, table.id),
  ],
);

/** Blocks of drafts, at most 100 a page, and tombstones of those that once were published. */
export const pageBlocks = sqliteTable(
  "page_blocks",
  {
    id: id(),
    workspaceId: workspaceId(),
    pageId: text("page_id").notNull(),
    type: text("type").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Of a tombstone empty, as is the visibility. */
    settings: text("settings", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
    visibility: text("visibility", { mode: "json" }).$type<Visibility>(),
    /** What people call it by, for what was sent and counted with it. */
    name: text("name").notNull(),
    /** Whether a version holds it: only then can anything be sent or counted with it. */
    published: integer("published", { mode: "boolean" }).notNull(),
    revision: text("revision").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: integer("deleted_at"),
  },
  (table) => [
    index("page_blocks_live").on(table.pageId).where(sql`${table.deletedAt} IS NULL`),
    index("page_blocks_page").on(table.pageId, table.id),
    index("page_blocks_deleted").on(table.deletedAt).where(sql`${table.deletedAt} IS NOT NULL`),
  ],
);

/** What was published: never changed, the last 50 of each page. */
export const pageVersions = sqliteTable(
  "page_versions",
  {
    pageId: text("page_id").notNull(),
    number: integer("number").notNull(),
    workspaceId: workspaceId(),
    document: text("document", { mode: "json" }).$type<VersionDocument>().notNull(),
    /** SHA-256 of the document: whether a draft differs from it. */
    hash: text("hash").notNull(),
    bytes: integer("bytes").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.pageId, table.number] })],
);

/**
 * What visitors get of each page that is on line: its published version, rendered where it stands.
 * Apart from `pages`, so that lists of these stay small. A trigger tells visitors' caches.
 */
export const pageRenders = sqliteTable(
  "page_renders",
  {
    pageId: text("page_id").primaryKey(),
    workspaceId: workspaceId(),
    version: integer("version").notNull(),
    /** Before the rendering: what reads the size alone does not read through that. */
    bytes: integer("bytes").notNull(),
    render: text("render", { mode: "json" }).$type<PublishedPage>().notNull(),
    /**
     * Where it is found, as the address book's place, `/` and key; null when it is not. With what follows
     * kept by a trigger on `pages`, so that a first visit reads this row alone.
     */
    address: text("address"),
    /** Its domain's root, when it stands there as well. */
    rootAddress: text("root_address"),
    /** What a visit needs of the page itself, as JSON. */
    document: text("document"),
  },
  (table) => [
    uniqueIndex("page_renders_address").on(table.address).where(sql`${table.address} IS NOT NULL`),
    uniqueIndex("page_renders_root")
      .on(table.rootAddress)
      .where(sql`${table.rootAddress} IS NOT NULL`),
  ],
);

/** Pages that were deleted, until a job has deleted what they held. */
export const pageRemovals = sqliteTable("page_removals", {
  pageId: text("page_id").primaryKey(),
  workspaceId: workspaceId(),
});

/**
 * Which pages use a pixel, in their draft or for visitors: what `pages` says, the other way round.
 * Triggers keep it.
 */
export const pagePixels = sqliteTable(
  "page_pixels",
  {
    /** No foreign key: a page may name a pixel that is gone. */
    pixelId: text("pixel_id").notNull(),
    pageId: text("page_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.pixelId, table.pageId] })],
);

/**
 * Which files pages use: what drafts say, and the version that visitors get, the other way round.
 * Only files that the page's workspace has. Triggers keep it: in a block's settings and a theme, what
 * is under the key `file` is a file's id.
 */
export const pageFiles = sqliteTable(
  "page_files",
  {
    pageId: text("page_id").notNull(),
    /** The block's id; `page` for what the draft has beside its blocks; `published`. */
    holder: text("holder").notNull(),
    fileId: text("file_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pageId, table.holder, table.fileId] }),
    index("page_files_file").on(table.fileId, table.pageId),
  ],
);

/**
 * Which products, collections and short links visitors of published pages are shown: at most 2,400 a
 * page; and whether the latest posts. What the rows take counts with the page's rendering.
 */
export const pageProducts = sqliteTable(
  "page_products",
  {
    pageId: text("page_id").notNull(),
    /** A product's id, a collection's or a link's, which may be gone; the workspace's: its latest posts. */
    targetId: text("target_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.pageId, table.targetId] }),
    index("page_products_target").on(table.targetId, table.pageId),
  ],
);

/**
 * Published pages that show a product or a short link which changed since they were drawn, posts of which
 * there is another, or a form that is full: triggers write them, one row a page, and a job draws them anew.
 */
export const pageRedraws = sqliteTable(
  "page_redraws",
  {
    pageId: text("page_id").primaryKey(),
    workspaceId: workspaceId(),
    /** Of the run that is drawing; null again when what the page shows changes meanwhile. */
    mark: text("mark"),
    dueAt: integer("due_at").notNull(),
  },
  (table) => [
    index("page_redraws_due").on(table.dueAt, table.pageId),
    index("page_redraws_workspace").on(table.workspaceId, table.dueAt, table.pageId),
  ],
);

/** What a form has taken: triggers keep it, and drop it with its block. */
export const formCounts = sqliteTable("form_counts", {
  blockId: text("block_id").primaryKey(),
  /** Ever accepted, but for those that turned out as spam: retention gives no place back. */
  accepted: integer("accepted").notNull(),
  /** That are kept now: of one form no more than `MAX_SPAM`. */
  spam: integer("spam").notNull(),
});
