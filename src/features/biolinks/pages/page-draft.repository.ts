/** How blocks change: with their page's revision, in one batch. */
import { and, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { type BlockRow, blocksBurying, blocksWriting } from "./page-blocks.repository.ts";
import { MAX_BLOCKS, MAX_DOCUMENT_BYTES } from "./page-limits.ts";
import { type PageVersion, updatePage } from "./pages.repository.ts";
import { pages } from "./pages.table.ts";

/** What each write of a draft brings. */
export interface DraftVersion {
  revision: string;
  contentRevision: string;
  updatedAt: number;
}

interface Guarded {
  version: DraftVersion;
  /** By how much the document grows. */
  bytes: number;
  /** What may abort the batch. */
  guards: D1PreparedStatement[];
}

function fits(bytes: number): SQL {
  return sql`${pages.contentBytes} + ${pages.blocksBytes} + ${bytes} <= ${MAX_DOCUMENT_BYTES}`;
}

function isBlock({ id, revision }: Pick<BlockRow, "id" | "revision">): SQL {
  return sql`EXISTS (SELECT 1 FROM page_blocks AS block WHERE block.id = ${id}
    AND block.page_id = ${pages.id} AND block.revision = ${revision} AND block.deleted_at IS NULL)`;
}

/**
 * Adds a block at the end, if the page has room for it. Whether it did.
 * @throws a unique conflict when the block's id stands
 */
export async function addBlock(
  db: Database,
  page: PageVersion,
  { version, block, bytes, guards }: Guarded & { block: BlockRow },
): Promise<boolean> {
  const isNew = sql`NOT EXISTS (SELECT 1 FROM json_each(${pages.blockOrder}) AS other
    WHERE other.value = ${block.id})`;
  const changes = {
    ...version,
    blockOrder: sql`json_insert(${pages.blockOrder}, '$[#]', ${block.id})`,
    blocksBytes: sql`${pages.blocksBytes} + ${bytes}`,
  };
  const hasRoom = sql`json_array_length(${pages.blockOrder}) < ${MAX_BLOCKS}`;
  const written = { ...page, revision: version.revision };
  const follows = [...guards, blocksWriting(db, written, [block])];
  const condition = and(hasRoom, fits(bytes), isNew);
  return (await updatePage(db, page, changes, { follows }, condition)).isWritten;
}

/** Changes a block if it still has this revision, and its page room for it. Whether it did. */
export async function changeBlock(
  db: Database,
  page: PageVersion,
  block: BlockRow,
  { version, changed, bytes, guards }: Guarded & { changed: BlockRow },
): Promise<boolean> {
  const changes = { ...version, blocksBytes: sql`${pages.blocksBytes} + ${bytes}` };
  const written = { ...page, revision: version.revision };
  const follows = [...guards, blocksWriting(db, written, [changed])];
  const room = bytes > 0 ? fits(bytes) : undefined;
  const condition = and(isBlock(block), room);
  return (await updatePage(db, page, changes, { follows }, condition)).isWritten;
}

/** Takes a block off its page if it still has this revision. Whether it did. */
export async function removeBlock(
  db: Database,
  page: PageVersion,
  block: BlockRow,
  { version, bytes }: { version: DraftVersion; bytes: number },
): Promise<boolean> {
  const place = sql`(SELECT one.fullkey FROM json_each(${pages.blockOrder}) AS one
    WHERE one.value = ${block.id})`;
  const changes = {
    ...version,
    blockOrder: sql`json_remove(${pages.blockOrder}, ${place})`,
    blocksBytes: sql`${pages.blocksBytes} - ${bytes}`,
  };
  const written = { ...page, revision: version.revision };
  const follows = blocksBurying(db, written, [block.id], version.updatedAt);
  return (await updatePage(db, page, changes, { follows }, isBlock(block))).isWritten;
}
