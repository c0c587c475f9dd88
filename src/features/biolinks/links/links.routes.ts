import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { EARLY_END, listOf, toPageRequest, toPart } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { countClicks } from "../analytics/clicks.service.ts";
import { linkRevision } from "./link-address.ts";
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

async function answer(ctx: Context, link: LinkRow) {
  const present = await linkPresenter(ctx, [link]);
  const data = present(link);
  return { body: { data }, revision: data.revision };
}

/** Whether a page that shows where a link leads is to show something else. */
function isShownOtherwise(before: LinkRow, after: LinkRow): boolean {
  const shownOf = ({ destination, slug, domainId, passwordHash }: LinkRow) =>
    JSON.stringify([destination, slug, domainId, passwordHash === null]);
  return shownOf(before) !== shownOf(after);
}

/** `changed` is told when a link leads elsewhere, or is deleted: pages may show it. */
export function addLinkRoutes(api: Api, changed: (ctx: Context) => Promise<void>): void {
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
    async (request) => {
      return answer(request.ctx, await createLink(request.ctx, request.body()));
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
      description: `With \`status\` or \`search\`: ${EARLY_END}`,
      access: read,
      query: ListLinksQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Link) },
    },
    async (request) => {
      const { ctx } = request;
      const page = toPageRequest(request.query);
      const { rows, lastId } = await listLinks(ctx, request.query, page);
      return { body: toPart(rows, lastId, await linkPresenter(ctx, rows)) };
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
      description: "With its clicks so far.",
      access: read,
      params: LinkParams,
      success: {
        status: 200,
        description: "The link. Once it has clicks, it is never answered by 304.",
        schema: LinkWithClicksAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const link = await getLink(ctx, request.params.link);
      const { body, revision } = await answer(ctx, link);
      const clicks = await countClicks(ctx, link.id);
      // They only grow: while there are none, there were none in the caller's copy.
      return { body: { data: { ...body.data, clicks } }, revision, holdsMore: clicks > 0 };
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
      description:
        "Visitors see the change within 10 seconds everywhere. A link that the operator has switched off (`disabled`) keeps its slug and domain: 409.",
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
    async (request) => {
      const { ctx } = request;
      const link = await getLink(ctx, request.params.link);
      const expected = request.expectRevision(await linkRevision(ctx, link));
      const updated = await updateLink(ctx, link, expected, request.body());
      if (isShownOtherwise(link, updated)) ctx.waitUntil(changed(ctx));
      return answer(ctx, updated);
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
      description:
        "Visitors get 404 within 10 seconds everywhere. A link that the operator has switched off (`disabled`) stays: 409.",
      access: write,
      params: LinkParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const link = await getLink(ctx, request.params.link);
      const expected = request.expectRevision(await linkRevision(ctx, link));
      await deleteLink(ctx, link, expected);
      ctx.waitUntil(changed(ctx));
      return {};
    },
  );
}
