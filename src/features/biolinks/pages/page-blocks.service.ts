import { createOnce } from "../../../api/create-once.ts";
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import { validate } from "../../../api/validation.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { namedHomeless } from "../links/link-address.ts";
import { findBlockType } from "./blocks/block-types.ts";
import { asStored, blockName, blockRow, namesOfBlock } from "./page-block-input.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import * as repository from "./page-blocks.repository.ts";
import type { BlockInput, UpdateBlock } from "./page-blocks.schemas.ts";
import { tooLarge } from "./page-changes.ts";
import { blocksBytes, inOrder } from "./page-content.ts";
import { addBlock, changeBlock, type DraftVersion, removeBlock } from "./page-draft.repository.ts";
import { MAX_BLOCKS, MAX_DOCUMENT_BYTES } from "./page-limits.ts";
import { writeNaming } from "./page-names.ts";
import type { PageKey, PageRow } from "./pages.repository.ts";
import { getPage } from "./pages.service.ts";

/** A page's blocks in their order. */
export async function listBlocks({ db }: Context, page: PageRow): Promise<BlockRow[]> {
  return inOrder(page, await repository.findBlocks(db, page.workspaceId, page.id));
}

/** @throws 404, also when there is no such page */
export async function getBlock(ctx: Context, pageId: string, id: string): Promise<BlockRow> {
  const block = await repository.findBlock(ctx.db, ctx.workspaceId, pageId, id);
  if (!block) throw new ApiError("not_found", { message: "There is no such block." });
  return block;
}

/** The block that an earlier run of the same request has made, if one did. */
export async function findMadeBlock(ctx: Context, pageId: string): Promise<BlockRow | undefined> {
  const { db, workspaceId, creates } = ctx;
  if (!creates?.resumed) return undefined;
  return repository.findBlock(db, workspaceId, pageId, creates.id);
}

/** What a write brings to its page. */
export function newDraftVersion(): DraftVersion {
  return { revision: newRevision(), contentRevision: newRevision(), updatedAt: now() };
}

/** Adds a block at the end of a page. @throws 404, 412, 422 */
export async function createBlock(
  ctx: Context,
  page: PageRow,
  expected: ExpectedRevision,
  input: BlockInput,
): Promise<BlockRow> {
  const { db, workspaceId } = ctx;
  const names = namesOfBlock(input.type, input.settings, "");
  const find = (id: string) => repository.findBlock(db, workspaceId, page.id, id);
  const insert = (guards: D1PreparedStatement[]) =>
    createOnce(ctx, {
      find,
      insert: async (id) => {
        const block = blockRow(ctx, page.id, id, input);
        const bytes = blocksBytes([block]);
        return ifUnchanged(
          page,
          expected,
          async (current) => {
            // Twenty who add at once are in nobody's way: only room is asked for.
            const revision = expected.any ? undefined : current.revision;
            const version = { ...current, revision, isHomeless: namedHomeless(expected) };
            const added = { version: newDraftVersion(), block, bytes, guards };
            if (await addBlock(db, version, added)) return block;
            const twin = await find(id);
            if (twin) return twin;
            assertRoom(await getPage(ctx, page.id), bytes, 1);
            return undefined;
          },
          () => getPage(ctx, page.id),
        );
      },
    });
  return writeNaming(ctx, names, insert);
}

/** @throws 422 when a page has no room for more blocks, or so many bytes more. */
function assertRoom(page: PageRow, bytes: number, more = 0): void {
  if (page.blockOrder.length + more > MAX_BLOCKS) {
    throw invalid("blocks", `A page has at most ${MAX_BLOCKS} blocks.`);
  }
  if (page.contentBytes + page.blocksBytes + bytes > MAX_DOCUMENT_BYTES) throw tooLarge("settings");
}

/** @throws 404, 412 when the block changed after its revision was matched, 422 */
export async function updateBlock(
  ctx: Context,
  block: BlockRow,
  expected: ExpectedRevision,
  input: UpdateBlock,
): Promise<BlockRow> {
  return ifUnchanged(
    block,
    expected,
    async (current) => {
      const changes = changesOf(current, input);
      if (changesNothing(current, changes)) return current;
      const changed = { ...current, ...changes, revision: newRevision(), updatedAt: now() };
      const bytes = blocksBytes([changed]) - blocksBytes([current]);
      const names = changes.settings ? namesOfBlock(block.type, changes.settings, "") : [];
      const isWritten = await writeNaming(ctx, names, (guards) => {
        const written = { version: newDraftVersion(), changed, bytes, guards };
        return changeBlock(ctx.db, keyOf(block), current, written);
      });
      if (isWritten) return changed;
      if (bytes > 0) assertRoom(await getPage(ctx, block.pageId), bytes);
      return undefined;
    },
    () => getBlock(ctx, block.pageId, block.id),
  );
}

function changesOf(
  block: BlockRow,
  { enabled, settings, visibility }: UpdateBlock,
): Partial<BlockRow> {
  const changed = settings && changedSettings(block, settings);
  return {
    ...(enabled !== undefined && { enabled }),
    ...(changed && { settings: changed, name: blockName(block.type, changed) }),
    ...(visibility !== undefined && { visibility: asStored(visibility) }),
  };
}

/** A block's settings with some changed, and without those that are null. @throws 422 */
function changedSettings(
  { type, settings }: BlockRow,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const merged = Object.entries({ ...settings, ...input }).filter(([, value]) => value !== null);
  const schema = findBlockType(type)?.settings;
  if (!schema) throw new ApiError("conflict", { message: "There is no such block type any more." });
  const valid: object = validate(schema, Object.fromEntries(merged), ["settings"]);
  return asStored({ ...valid });
}

/** @throws 404, 412 */
export async function deleteBlock(
  ctx: Context,
  block: BlockRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    block,
    expected,
    async (current) => {
      const removed = { version: newDraftVersion(), bytes: blocksBytes([current]) };
      return (await removeBlock(ctx.db, keyOf(block), current, removed)) || undefined;
    },
    () => getBlock(ctx, block.pageId, block.id),
  );
}

/** A block's page, of whatever revision. */
function keyOf({ pageId, workspaceId }: BlockRow): PageKey {
  return { id: pageId, workspaceId };
}
