import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, toList, toPageRequest } from "../../../api/pagination.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { previewAddress } from "./page-preview-address.ts";
import { presentSummary, presentVersion } from "./page-versions.presenter.ts";
import {
  ListVersionsQuery,
  PreviewAnswer,
  VersionAnswer,
  VersionParams,
  VersionSummary,
} from "./page-versions.schemas.ts";
import {
  getVersion,
  isWrittenAlready,
  listVersions,
  publishPage,
  restoreVersion,
  unpublishPage,
} from "./page-versions.service.ts";
import { PAGES_PATH, pageAnswer, pageRevision, readPages, writePages } from "./pages.routes.ts";
import { PageAnswer, PageParams } from "./pages.schemas.ts";
import { getPage } from "./pages.service.ts";

const PAGE = `${PAGES_PATH}/{page}`;
const VERSIONS = `${PAGE}/versions`;
const ONE = `${VERSIONS}/{version}`;
const tag = "Page versions";
const publish: Access = {
  ...writePages,
  permission: "biolinks:pages:publish",
  idempotencyKey: "optional",
};
const asItIsNow = {
  status: 200,
  description: "The page as it is now.",
  schema: PageAnswer,
  etag: true,
} as const;

export function addPageVersionRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: `${PAGE}/publish`,
      operationId: "publishPage",
      tag,
      summary: "Publish a page",
      description:
        "Makes a version of the draft, which visitors get everywhere within 10 seconds. The last 50 versions are kept. What is on line as it is stays so: no version, no event.",
      access: publish,
      params: PageParams,
      ifMatch: true,
      success: asItIsNow,
      errors: ["storage_full"],
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      if (isWrittenAlready(ctx, page)) return pageAnswer(ctx, page);
      const expected = request.expectRevision(await pageRevision(ctx, page));
      return pageAnswer(ctx, await publishPage(ctx, page, expected));
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PAGE}/unpublish`,
      operationId: "unpublishPage",
      tag,
      summary: "Take a page off line",
      description:
        "The page is a draft again, and keeps its versions. `If-Match` may be left out. A page that the operator has switched off (`disabled`) stays: 409.",
      access: publish,
      params: PageParams,
      ifMatch: "optional",
      success: asItIsNow,
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      if (isWrittenAlready(ctx, page)) return pageAnswer(ctx, page);
      const expected = request.expectRevisionIfSent(await pageRevision(ctx, page));
      return pageAnswer(ctx, await unpublishPage(ctx, page, expected));
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PAGE}/preview`,
      operationId: "previewPage",
      tag,
      summary: "Share a preview of the draft",
      description:
        "A signed address that shows the draft, as it is when it is opened, to whoever has it, for an hour. Search engines may not list it. 409 while the page's domain is out of service.",
      access: { ...readPages, idempotencyKey: "optional", runsAgain: true },
      params: PageParams,
      success: { status: 200, description: "The address.", schema: PreviewAnswer },
      errors: ["conflict"],
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      const { url, expiresAt } = await previewAddress(ctx, page);
      return { body: { data: { url, expires_at: toTimestamp(expiresAt) } } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: VERSIONS,
      operationId: "listPageVersions",
      tag,
      summary: "List a page's versions",
      description: "Each is what a publication put on line. The last 50 are kept.",
      access: readPages,
      params: PageParams,
      query: ListVersionsQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(VersionSummary) },
    },
    async (request) => {
      const { ctx } = request;
      const page = await getPage(ctx, request.params.page);
      const asked = toPageRequest(request.query);
      const before = asked.beforeId === undefined ? undefined : Number(asked.beforeId);
      const rows = await listVersions(ctx, page, { limit: asked.limit, before });
      const named = rows.map((row) => ({ ...row, id: String(row.number) }));
      return { body: toList(named, asked, (row) => presentSummary(page, row)) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getPageVersion",
      tag,
      summary: "Read a version",
      description: "The page and its blocks as they were when it was published.",
      access: readPages,
      params: VersionParams,
      success: { status: 200, description: "All that it holds.", schema: VersionAnswer },
    },
    async ({ ctx, params }) => {
      const page = await getPage(ctx, params.page);
      const version = await getVersion(ctx, page, params.version);
      return { body: { data: presentVersion(page, version) } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${ONE}/restore`,
      operationId: "restorePageVersion",
      tag,
      summary: "Restore a version into the draft",
      description:
        "The draft becomes what the version was, its blocks with their ids; visitors see it when it is published. Pixels that are gone are left out; links and files that are gone stay named, and are not drawn. `If-Match` takes the page's `ETag`, and may be left out.",
      access: { ...writePages, idempotencyKey: "optional" },
      params: VersionParams,
      ifMatch: "optional",
      success: asItIsNow,
      errors: ["validation_failed", "storage_full"],
    },
    async (request) => {
      const { ctx, params } = request;
      const page = await getPage(ctx, params.page);
      const version = await getVersion(ctx, page, params.version);
      if (isWrittenAlready(ctx, page)) return pageAnswer(ctx, page);
      const expected = request.expectRevisionIfSent(await pageRevision(ctx, page));
      return pageAnswer(ctx, await restoreVersion(ctx, page, expected, version));
    },
  );
}
