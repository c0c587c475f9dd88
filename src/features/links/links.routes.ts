import type { Access } from "../../gate/admission.ts";
import { type ClientCall, clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { listOf, toList, toPage } from "../../http/pagination.ts";
import { platformOrigin } from "../../http/platform.ts";
import type { ApiRequest, ApiResult } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
import { countClicks } from "../analytics/clicks.service.ts";
import type { LinkScope } from "./link-changes.ts";
import { linkPresenter } from "./links.presenter.ts";
import type { LinkRow } from "./links.repository.ts";
import {
  CreateLink,
  Link,
  LinkAnswer,
  LinkParams,
  LinkWithClicksAnswer,
  ListLinksQuery,
  UpdateLink,
} from "./links.schemas.ts";
import { createLink, deleteLink, getLink, listLinks, updateLink } from "./links.service.ts";

const PATH = "/api/v1/biolinks/links";
const tag = "Short links";

const read: Access = {
  feature: "biolinks",
  permission: "biolinks:links:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "biolinks:links:write" };

type Request = Pick<ApiRequest<unknown, unknown, unknown>, "db" | "env" | "url">;

function scopeOf(request: Request, { caller }: ClientCall): LinkScope {
  const origin = platformOrigin(request.env, request.url);
  return { db: request.db, workspaceId: caller.workspaceId, platformOrigin: origin };
}

async function answer(
  scope: LinkScope,
  link: LinkRow,
  status: 200 | 201,
  more: object = {},
): Promise<ApiResult> {
  const present = await linkPresenter(scope, [link]);
  return { status, body: { data: { ...present(link), ...more } }, revision: link.revision };
}

export function addLinkRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createLink",
      tag,
      summary: "Create a short link",
      description: 'The link is made paused: switch it on with `PATCH {"status": "active"}`.',
      access: { ...write, idempotencyKey: "required" },
      body: CreateLink,
      success: { status: 201, description: "The link, paused.", schema: LinkAnswer, etag: true },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const identity = {
        id: call.claim?.resourceId ?? newId(),
        resumed: call.claim?.resumed ?? false,
      };
      return answer(scope, await createLink(scope, identity, request.body()), 201);
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listLinks",
      tag,
      summary: "List short links",
      access: read,
      query: ListLinksQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Link) },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const page = toPage(request.query);
      const rows = await listLinks(scope, request.query, page);
      return { status: 200, body: toList(rows, page, await linkPresenter(scope, rows)) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/{link}`,
      operationId: "getLink",
      tag,
      summary: "Read a short link",
      access: read,
      params: LinkParams,
      success: { status: 200, description: "The link.", schema: LinkWithClicksAnswer, etag: true },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const link = await getLink(scope, request.params.link);
      const clicks = await countClicks(scope.db, scope.workspaceId, link.id);
      return answer(scope, link, 200, { clicks });
    },
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: `${PATH}/{link}`,
      operationId: "updateLink",
      tag,
      summary: "Change a short link",
      description: "Visitors see the change within 30 seconds everywhere.",
      access: write,
      params: LinkParams,
      body: UpdateLink,
      ifMatch: true,
      success: {
        status: 200,
        description: "The link as it is now.",
        schema: LinkAnswer,
        etag: true,
      },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const link = await getLink(scope, request.params.link);
      const expected = request.expectRevision(link.revision);
      return answer(scope, await updateLink(scope, link, expected, request.body()), 200);
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: `${PATH}/{link}`,
      operationId: "deleteLink",
      tag,
      summary: "Delete a short link",
      access: write,
      params: LinkParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const link = await getLink(scope, request.params.link);
      await deleteLink(scope, link, request.expectRevision(link.revision));
      return { status: 204 };
    },
  );
}
