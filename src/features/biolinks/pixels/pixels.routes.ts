import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../../api/pagination.ts";
import { deletePixel } from "./pixel-removal.ts";
import type { PixelUsers } from "./pixels.ports.ts";
import { presentPixel, presentProviders } from "./pixels.presenter.ts";
import type { PixelRow } from "./pixels.repository.ts";
import {
  CreatePixel,
  DeletePixelQuery,
  Pixel,
  PixelAnswer,
  PixelParams,
  ProvidersAnswer,
  UpdatePixel,
} from "./pixels.schemas.ts";
import { createPixel, getPixel, listPixels, updatePixel } from "./pixels.service.ts";

const BIOLINKS = "/api/v1/biolinks";
const PATH = `${BIOLINKS}/pixels`;
const tag = "Pixels";
const one = { path: `${PATH}/{pixel}`, tag, params: PixelParams };
const read: Access = {
  feature: "biolinks",
  permission: "biolinks:pixels:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "biolinks:pixels:write" };

function answer(pixel: PixelRow) {
  return { body: { data: presentPixel(pixel) }, revision: pixel.revision };
}

export function addPixelRoutes(api: Api, users: PixelUsers): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${BIOLINKS}/catalogue/pixel-providers`,
      operationId: "listPixelProviders",
      tag,
      summary: "List whom pixels can tell of visits",
      description:
        "`google_ads`, `linkedin` and `pinterest` are told by an image that the visitor's browser loads from them, `meta` by that and, with an access token, by its Conversions API, `ga4` by its Measurement Protocol alone. No script of a provider's ever runs.",
      access: read,
      success: { status: 200, description: "Every provider.", schema: ProvidersAnswer },
    },
    async () => ({ body: { data: presentProviders() } }),
  );

  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createPixel",
      tag,
      summary: "Create a pixel",
      description:
        "Links name it in `settings.pixels`. A pixel of `ga4` has no beacon: it does nothing until it has an `access_token`. A workspace may have 100 pixels.",
      access: { ...write, idempotencyKey: "optional" },
      body: CreatePixel,
      success: { status: 201, description: "The pixel.", schema: PixelAnswer, etag: true },
    },
    async (request) => answer(await createPixel(request.ctx, request.body())),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listPixels",
      tag,
      summary: "List pixels",
      description:
        "Access tokens are never answered: `has_access_token` says whether there is one.",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Pixel) },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listPixels(request.ctx, page);
      return { body: toList(rows, page, presentPixel) };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "get",
      operationId: "getPixel",
      summary: "Read a pixel",
      description:
        "The access token is never answered: `has_access_token` says whether there is one.",
      access: read,
      success: { status: 200, description: "The pixel.", schema: PixelAnswer, etag: true },
    },
    async (request) => answer(await getPixel(request.ctx, request.params.pixel)),
  );

  clientRoute(
    api,
    {
      ...one,
      method: "patch",
      operationId: "updatePixel",
      summary: "Change a pixel",
      description:
        "Visitors of all links that use it meet the change within 10 seconds everywhere. The provider stays: for another one, create another pixel. The access token stays when the tag changes.",
      access: write,
      body: UpdatePixel,
      ifMatch: true,
      success: {
        status: 200,
        description: "The pixel as it is now.",
        schema: PixelAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const pixel = await getPixel(ctx, request.params.pixel);
      const expected = request.expectRevision(pixel.revision);
      return answer(await updatePixel(ctx, pixel, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "delete",
      operationId: "deletePixel",
      summary: "Delete a pixel",
      description:
        "409 while a link or a page uses it: the message says how many do, and names the first. With `force=true` it fires nowhere and is gone from every answer at once; its links and pages are changed after the answer, many within minutes, and each gets a new revision.",
      access: write,
      query: DeletePixelQuery,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const pixel = await getPixel(ctx, request.params.pixel);
      const expected = request.expectRevision(pixel.revision);
      const isForced = request.query.force ?? false;
      await deletePixel(ctx, pixel, expected, { isForced, users });
      return {};
    },
  );
}
