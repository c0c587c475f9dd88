import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { invalid } from "../../../api/errors.ts";
import { listOf, toList } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { presentBlock } from "./page-blocks.presenter.ts";
import type { BlockRow } from "./page-blocks.repository.ts";
import {
  Block,
  BlockAnswer,
  BlockParams,
  CreateBlock,
  ListBlocksQuery,
  PutBlockOrder,
  PutBlocks,
  UpdateBlock,
} from "./page-blocks.schemas.ts";
import {
  createBlock,
  deleteBlock,
  findMadeBlock,
  getBlock,
  listBlocks,
  updateBlock,
} from "./page-blocks.service.ts";
import { orderBlocks, replaceBlocks } from "./page-draft.ts";
import type { PageRow } from "./pages.repository.ts";
import { PAGES_PATH, pageAnswer, pageRevision, readPages, writePages } from "./pages.routes.ts";
import { PageAnswer, PageParams } from "./pages.schemas.ts";
import { getPage } from "./pages.service.ts";

const PAGE = `${PAGES_PATH}/{page}`;
const PATH = `${PAGE}/blocks`;
const ONE = `${PATH}/{block}`;
const tag = "Page blocks";
const PAGE_IF_MATCH = "`If-Match` takes the page's `ETag`, and may be left out.";

function answer(block: BlockRow) {
  return { body: { data: presentBlock(block) }, revision: block.revision };
}

/** All of a page's blocks, with the page's revision, which changes with any of them. */
async function answerAll(ctx: Context, page: PageRow) {
  const blocks = await listBlocks(ctx, page);
  return {
    body: { data: blocks.map(presentBlock), next_cursor: null },
    revision: await pageRevision(ctx, page),
  };
}

/** The first blocks, and where to go on. */
function toBlockList(blocks: BlockRow[], limit: number) {
  const page = { limit, beforeId: undefined };
  return toList(blocks, page, presentBlock);
}

export function addPageBlockRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createBlock",
      tag,
      summary: "Add a block",
      description: `At the end of the page. ${PAGE_IF_MATCH}`,
      access: { ...writePages, idempotencyKey: "optional" },
      params: PageParams,
      body: CreateBlock,
      ifMatch: "optional",
      success: { status: 201, description: "The block.", schema: BlockAnswer, etag: true },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      // It has changed the page's revision itself.
      const made = await findMadeBlock(ctx, page.id);
      if (made) return answer(made);
      const expected = request.expectRevisionIfSent(await pageRevision(ctx, page));
      return answer(await createBlock(ctx, page, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listBlocks",
      tag,
      summary: "List a page's blocks",
      description: "Of the draft. All are on one page unless `limit` is less.",
      access: readPages,
      params: PageParams,
      query: ListBlocksQuery,
      success: { status: 200, description: "In their order.", schema: listOf(Block) },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      const { limit, cursor } = request.query;
      const at = cursor === undefined ? -1 : page.blockOrder.indexOf(cursor);
      if (cursor !== undefined && at < 0) {
        throw invalid("cursor", "The block that this cursor stands for is gone: begin anew.");
      }
      const blocks = (await listBlocks(ctx, page)).slice(at + 1);
      return { body: toBlockList(blocks, limit) };
    },
  );

  clientRoute(
    api,
    {
      method: "put",
      path: PATH,
      operationId: "replaceBlocks",
      tag,
      summary: "Replace all blocks",
      description: `A block that is named by its id keeps it; those that are not sent go. ${PAGE_IF_MATCH}`,
      access: writePages,
      params: PageParams,
      body: PutBlocks,
      ifMatch: "optional",
      success: {
        status: 200,
        description: "The blocks as they are now; the `ETag` is the page's.",
        schema: listOf(Block),
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      const expected = request.expectRevisionIfSent(await pageRevision(ctx, page));
      const { blocks } = request.body();
      return answerAll(ctx, await replaceBlocks(ctx, page, expected, blocks));
    },
  );

  clientRoute(
    api,
    {
      method: "put",
      path: `${PAGE}/block-order`,
      operationId: "orderBlocks",
      tag,
      summary: "Order a page's blocks",
      description: `\`order\` names each block of the page once; else 422 says what is missing, unknown or doubled. ${PAGE_IF_MATCH}`,
      access: writePages,
      params: PageParams,
      body: PutBlockOrder,
      ifMatch: "optional",
      success: {
        status: 200,
        description: "The page as it is now.",
        schema: PageAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      const expected = request.expectRevisionIfSent(await pageRevision(ctx, page));
      return pageAnswer(ctx, await orderBlocks(ctx, page, expected, request.body().order));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getBlock",
      tag,
      summary: "Read a block",
      description: "Of the draft.",
      access: readPages,
      params: BlockParams,
      success: { status: 200, description: "The block.", schema: BlockAnswer, etag: true },
    },
    async ({ ctx, params }) => answer(await getBlock(ctx, params.page, params.block)),
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updateBlock",
      tag,
      summary: "Change a block",
      description: "`If-Match` takes the block's `ETag`, not the page's.",
      access: writePages,
      params: BlockParams,
      body: UpdateBlock,
      ifMatch: true,
      success: {
        status: 200,
        description: "The block as it is now.",
        schema: BlockAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx, params } = request;
      const block = await getBlock(ctx, params.page, params.block);
      const expected = request.expectRevision(block.revision);
      return answer(await updateBlock(ctx, block, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ONE,
      operationId: "deleteBlock",
      tag,
      summary: "Delete a block",
      description:
        "`If-Match` takes the block's `ETag`. Of a block that was ever published the name stays, for submissions and statistics, for 25 months.",
      access: writePages,
      params: BlockParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx, params } = request;
      const block = await getBlock(ctx, params.page, params.block);
      await deleteBlock(ctx, block, request.expectRevision(block.revision));
      return {};
    },
  );
}
