import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, toList, toPageRequest } from "../../../api/pagination.ts";
import type { Context } from "../../../platform/context/context.ts";
import { payloadOf } from "./qr-code-address.ts";
import { presentQrCode } from "./qr-codes.presenter.ts";
import type { QrCodeRow } from "./qr-codes.repository.ts";
import {
  CreateQrCode,
  ImageQuery,
  ListQrCodesQuery,
  PreviewQrCode,
  QrCode,
  QrCodeAnswer,
  QrCodeParams,
  QrCodePreviewAnswer,
  UpdateQrCode,
} from "./qr-codes.schemas.ts";
import {
  createQrCode,
  deleteQrCode,
  getQrCode,
  listQrCodes,
  previewQrCode,
  updateQrCode,
} from "./qr-codes.service.ts";
import { drawImage, IMAGE_TYPES } from "./qr-image.ts";
import { findLogo } from "./qr-logo-file.ts";

const PATH = "/api/v1/biolinks/qr-codes";
const ONE = `${PATH}/{qr_code}`;
const tag = "QR codes";

const read: Access = {
  feature: "biolinks",
  permission: "biolinks:qr:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "biolinks:qr:write" };

function answer(ctx: Context, row: QrCodeRow) {
  return { body: { data: presentQrCode(ctx, row) }, revision: row.revision };
}

export function addQrCodeRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: `${PATH}/preview`,
      operationId: "previewQrCode",
      tag,
      summary: "See what a QR code would look like",
      description: "Nothing is stored.",
      access: { ...read, idempotencyKey: "optional", runsAgain: true },
      body: PreviewQrCode,
      success: { status: 200, description: "The code.", schema: QrCodePreviewAnswer },
    },
    async (request) => ({ body: { data: await previewQrCode(request.ctx, request.body()) } }),
  );

  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createQrCode",
      tag,
      summary: "Create a QR code",
      description:
        "A code for a link, a page or a URL holds an address of ours, `HTTPS://HOST/Q/XXXXXXXX`, and stays right whatever its target, the link's slug or the page's handle is changed to. Its host is that of the link or page when the code is made (for a URL the platform's), and stays so: it is printed. It works for as long as that host is a verified domain of the workspace; one that is deleted and added again has its codes back.",
      access: { ...write, idempotencyKey: "optional" },
      body: CreateQrCode,
      success: { status: 201, description: "The code.", schema: QrCodeAnswer, etag: true },
      errors: ["conflict"],
    },
    async (request) => answer(request.ctx, await createQrCode(request.ctx, request.body())),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listQrCodes",
      tag,
      summary: "List QR codes",
      description: "Static ones too.",
      access: read,
      query: ListQrCodesQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(QrCode) },
    },
    async (request) => {
      const { ctx } = request;
      const page = toPageRequest(request.query);
      const present = (row: QrCodeRow) => presentQrCode(ctx, row);
      return { body: toList(await listQrCodes(ctx, page), page, present) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getQrCode",
      tag,
      summary: "Read a QR code",
      description: "With what it holds, and the address of its picture.",
      access: read,
      params: QrCodeParams,
      success: { status: 200, description: "The code.", schema: QrCodeAnswer, etag: true },
    },
    async (request) => answer(request.ctx, await getQrCode(request.ctx, request.params.qr_code)),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${ONE}/image`,
      operationId: "getQrCodeImage",
      tag,
      summary: "Draw a QR code",
      description:
        "A PNG's modules are whole pixels: what is left over widens the margin. A module has 3 pixels at least, so a dense code needs more than 128: 422 says how many. A logo whose file the operator took out of service is left out: the code is read all the same.",
      access: read,
      params: QrCodeParams,
      query: ImageQuery,
      success: {
        status: 200,
        description: "The picture.",
        files: {
          [IMAGE_TYPES.svg]: { description: "A drawing, as sharp at any size." },
          [IMAGE_TYPES.png]: { description: "As many pixels a side as `size` says." },
        },
      },
    },
    async (request) => {
      const row = await getQrCode(request.ctx, request.params.qr_code);
      const { format, size } = request.query;
      const logo = await findLogo(request.ctx.env, row);
      const content = drawImage(payloadOf(row), row.style, { format, size, logo });
      return { file: { mediaType: IMAGE_TYPES[format], content } };
    },
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updateQrCode",
      tag,
      summary: "Change a QR code",
      description:
        "Visitors see the change within 10 seconds everywhere. What is printed goes on working.",
      access: write,
      params: QrCodeParams,
      body: UpdateQrCode,
      ifMatch: true,
      success: {
        status: 200,
        description: "The code as it is now.",
        schema: QrCodeAnswer,
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const row = await getQrCode(ctx, request.params.qr_code);
      const expected = request.expectRevision(row.revision);
      return answer(ctx, await updateQrCode(ctx, row, expected, request.body()));
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ONE,
      operationId: "deleteQrCode",
      tag,
      summary: "Delete a QR code",
      description: "What is printed of a dynamic code leads nowhere from then on.",
      access: write,
      params: QrCodeParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const { ctx } = request;
      const row = await getQrCode(ctx, request.params.qr_code);
      await deleteQrCode(ctx, row, request.expectRevision(row.revision));
      return {};
    },
  );
}
