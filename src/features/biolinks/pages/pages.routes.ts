import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { EARLY_END, listOf, toPageRequest, toPart } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { linkRevision } from "../links/link-address.ts";
import { duplicatePage } from "./page-duplicate.ts";
import { assertMayDelete, assertMayMove, assertMayPublish } from "./page-permissions.ts";
import { pagePresenter } from "./pages.presenter.ts";
import type { PageRow } from "./pages.repository.ts";
import {
  CreatePage,
  DuplicatePage,
  ListPagesQuery,
  Page,
  PageAnswer,
  PageParams,
  UpdatePage,
} from "./pages.schemas.ts";
import { createPage, deletePage, getPage, listPages, updatePage } from "./pages.service.ts";

export const PAGES_PATH = "/api/v1/biolinks/pages";
export const PAGES_TAG = "Pages";
const ONE = `${PAGES_PATH}/{page}`;
const tag = PAGES_TAG;

export const readPages: Access = {
  feature: "biolinks",
  permission: "biolinks:pages:read",
  idempotencyKey: "unused",
};
export const writePages: Access = { ...readPages, permission: "biolinks:pages:write" };

/** A page as a route answers it. */
export async function pageAnswer(ctx: Context, page: PageRow) {
  const present = await pagePresenter(ctx, [page]);
  const data = present(page);
  return { body: { data }, revision: data.revision };
}

/** A page's revision as callers know it: what `If-Match` is compared with. */
export const pageRevision: (ctx: Context, page: PageRow) => Promise<string> = linkRevision;

export function addPageRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PAGES_PATH,
      operationId: "createPage",
      tag,
      summary: "Create a page",
      description:
        "The page is a draft: nobody sees it before `POST …/publish`. A workspace may have 5, 50 or 500 pages by its plan, a page 100 blocks and 256 KiB.",
      access: { ...writePages, idempotencyKey: "optional" },
      body: CreatePage,
      success: { status: 201, description: "The page, a draft.", schema: PageAnswer, etag: true },
    },
    async (request) => pageAnswer(request.ctx, await createPage(request.ctx, request.body())),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PAGES_PATH,
      operationId: "listPages",
      tag,
      summary: "List pages",
      description: `With a filter: ${EARLY_END}`,
      access: readPages,
      query: ListPagesQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Page) },
    },
    async (request) => {
      const { ctx } = request;
      const { rows, lastId } = await listPages(ctx, request.query, toPageRequest(request.query));
      return { body: toPart(rows, lastId, await pagePresenter(ctx, rows)) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getPage",
      tag,
      summary: "Read a page",
      description: "The draft. Its blocks are read apart.",
      access: readPages,
      params: PageParams,
      success: { status: 200, description: "The draft.", schema: PageAnswer, etag: true },
    },
    async (request) => pageAnswer(request.ctx, await getPage(request.ctx, request.params.page)),
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updatePage",
      tag,
      summary: "Change a page",
      description:
        "Changes the draft. Handle, domain, status, the password and `domain_root` hold at once, all else when the page is published. What holds at once needs `biolinks:pages:publish` too: `status` always, the others where the page is no draft. A page that the operator has switched off (`disabled`) keeps its handle, domain and `domain_root`: 409.",
      access: writePages,
      params: PageParams,
      body: UpdatePage,
      ifMatch: true,
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
      if (request.peekBody()?.status !== undefined) assertMayPublish(ctx, "To change `status`");
      assertMayMove(ctx, page, request.peekBody());
      const expected = request.expectRevision(await pageRevision(ctx, page));
      return pageAnswer(ctx, await updatePage(ctx, page, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ONE,
      operationId: "deletePage",
      tag,
      summary: "Delete a page",
      description:
        "With its blocks and versions. Its handle is free at once. A page that is no draft needs `biolinks:pages:publish` too. One that the operator has switched off (`disabled`) stays: 409.",
      access: writePages,
      params: PageParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      assertMayDelete(ctx, page);
      await deletePage(ctx, page, request.expectRevision(await pageRevision(ctx, page)));
      return {};
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${ONE}/duplicate`,
      operationId: "duplicatePage",
      tag,
      summary: "Duplicate a page",
      description:
        "Copies the draft, with blocks of its own and the password, but neither versions nor `domain_root`. The body may be `{}`.",
      access: { ...writePages, idempotencyKey: "optional" },
      params: PageParams,
      body: DuplicatePage,
      success: { status: 201, description: "The copy, a draft.", schema: PageAnswer, etag: true },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      return pageAnswer(ctx, await duplicatePage(ctx, page, request.body()));
    },
  );
}
