/** What changes all of a draft's blocks at once: their order, or the blocks themselves. */
import { ApiError, invalid } from "../../../api/errors.ts";
import type { ExpectedRevision } from "../../../api/etag.ts";
import { changesNothing, ifUnchanged } from "../../../api/unchanged.ts";
import type { Context } from "../../../platform/context/context.ts";
import { newId, newRevision } from "../../../platform/ids.ts";
import { now } from "../../../platform/time.ts";
import { asStored, blockName, blockRow, namesOfBlocks } from "./page-block-input.ts";
import { type BlockRow, blocksBurying, blocksWriting } from "./page-blocks.repository.ts";
import type { BlockInput } from "./page-blocks.schemas.ts";
import { listBlocks } from "./page-blocks.service.ts";
import { tooLarge } from "./page-changes.ts";
import { blocksBytes } from "./page-content.ts";
import { MAX_DOCUMENT_BYTES } from "./page-limits.ts";
import { writeNaming } from "./page-names.ts";
import type { PageChanges, PageRow } from "./pages.repository.ts";
import { getPage, type PageWrite, writePage } from "./pages.service.ts";

/** Orders a page's blocks anew. @throws 404, 412, 422 unless each is named once */
export async function orderBlocks(
  ctx: Context,
  page: PageRow,
  expected: ExpectedRevision,
  order: string[],
): Promise<PageRow> {
  return ifUnchanged(
    page,
    expected,
    async (current) => {
      assertPermutation(current.blockOrder, order);
      const changes = { blockOrder: order };
      if (changesNothing(current, changes)) return current;
      return writePage(ctx, current, { ...changes, contentRevision: newRevision() }, { expected });
    },
    () => getPage(ctx, page.id),
  );
}

function assertPermutation(blockOrder: string[], order: string[]): void {
  const [known, given] = [new Set(blockOrder), new Set(order)];
  const missing = blockOrder.filter((id) => !given.has(id));
  const unknown = [...given].filter((id) => !known.has(id));
  const doubled = [...new Set(order.filter((id, at) => order.indexOf(id) !== at))];
  const problems = [
    ["Missing", missing],
    ["No blocks of the page", unknown],
    ["More than once", doubled],
  ] as const;
  const messages = problems.flatMap(([what, ids]) =>
    ids.length > 0 ? [`${what}: ${ids.join(", ")}.`] : [],
  );
  if (messages.length > 0) throw new ApiError("validation_failed", { errors: { order: messages } });
}

/** Replaces all blocks of a page; those that are named by their id keep it. @throws 404, 412, 422 */
export async function replaceBlocks(
  ctx: Context,
  page: PageRow,
  expected: ExpectedRevision,
  inputs: BlockInput[],
): Promise<PageRow> {
  return writeNaming(ctx, namesOfBlocks(inputs), (guards) =>
    ifUnchanged(
      page,
      expected,
      async (current) => {
        const before = await listBlocks(ctx, current);
        const after = blocksAfter(ctx, current, before, inputs);
        return writeDraft(ctx, current, {}, { before, after }, { expected, follows: guards });
      },
      () => getPage(ctx, page.id),
    ),
  );
}

/** A page's blocks as an input has them: what is as it was keeps its revision. @throws 422 */
function blocksAfter(
  ctx: Context,
  page: PageRow,
  before: BlockRow[],
  inputs: BlockInput[],
): BlockRow[] {
  const left = new Map(before.map((block) => [block.id, block]));
  return inputs.map((input, at) => {
    if (input.id === undefined) return blockRow(ctx, page.id, newId(), input);
    const block = left.get(input.id);
    if (!block)
      throw invalid(`blocks.${at}.id`, "The page has no such block, or it is named twice.");
    left.delete(input.id);
    if (block.type !== input.type) {
      throw invalid(`blocks.${at}.type`, `This block is a ${block.type}, and stays one.`);
    }
    const { enabled = true, settings, visibility = null } = asStored(input);
    const changes = { enabled, settings, visibility, name: blockName(input.type, settings) };
    if (changesNothing(block, changes)) return block;
    return { ...block, ...changes, revision: newRevision(), updatedAt: now() };
  });
}

/**
 * Writes a draft's blocks as they are to be, with other changes of the page, if the page is as it was
 * read; the page as it is then, or undefined. @throws 422 when the document grows too large
 */
export async function writeDraft(
  ctx: Context,
  current: PageRow,
  changes: PageChanges,
  { before, after }: { before: BlockRow[]; after: BlockRow[] },
  write: PageWrite,
): Promise<PageRow | undefined> {
  const order = after.map(({ id }) => id);
  const known = new Map(before.map((block) => [block.id, block]));
  const written = after.filter((block) => known.get(block.id)?.revision !== block.revision);
  const all = { ...changes, blockOrder: order };
  if (written.length === 0 && changesNothing(current, all)) return current;
  const bytes = blocksBytes(after);
  const { contentBytes } = { ...current, ...changes };
  if (contentBytes + bytes > MAX_DOCUMENT_BYTES) throw tooLarge("blocks");
  const kept = new Set(order);
  const gone = before.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
  const revision = write.revision ?? newRevision();
  const page = { ...current, revision };
  const follows = [
    ...(write.follows ?? []),
    ...(gone.length > 0 ? blocksBurying(ctx.db, page, gone, now()) : []),
    ...(written.length > 0 ? [blocksWriting(ctx.db, page, written)] : []),
  ];
  const draft = { ...all, blocksBytes: bytes, contentRevision: newRevision() };
  return writePage(ctx, current, draft, { ...write, revision, follows });
}
