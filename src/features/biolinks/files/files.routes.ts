import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../../api/pagination.ts";
import { MEDIA_TYPES } from "./file-types.ts";
import type { FileUser } from "./files.ports.ts";
import { presentFile } from "./files.presenter.ts";
import type { FileRow } from "./files.repository.ts";
import { File, FileAnswer, FileParams } from "./files.schemas.ts";
import { createFile, deleteFile, getFile, listFiles } from "./files.service.ts";

const PATH = "/api/v1/biolinks/files";
const tag = "Files";
const one = { path: `${PATH}/{file}`, tag, params: FileParams };
const MAX_BYTES = 10 * 1024 * 1024;
const read: Access = {
  feature: "biolinks",
  permission: "biolinks:files:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "biolinks:files:write" };

export function addFileRoutes(api: Api, users: readonly FileUser[]): void {
  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createFile",
      tag,
      summary: "Upload a file",
      description:
        "A JPEG, PNG, WebP, GIF, AVIF (not animated) or PDF of at most 10 MiB and 8,000 pixels a side: as the body, or as the one field `file` of a form. What it is, its bytes say; its name and the declared type mean nothing. An image loses what it tells besides its pixels (EXIF, GPS, XMP, IPTC, comments) and what follows its end; its pixels stay byte for byte, its colour profile too, and the orientation of a JPEG, PNG or AVIF (browsers differ over that of a WebP: it goes). A PDF stays as it is, its title and author included. With an `Idempotency-Key` the body must be the same again, byte for byte: send the file raw, as programs mark the fields of a form differently each time.",
      access: { ...write, idempotencyKey: "optional" },
      upload: { maxBytes: MAX_BYTES, mediaTypes: [...MEDIA_TYPES, "application/octet-stream"] },
      success: {
        status: 201,
        description: "The file.",
        schema: FileAnswer,
        existing: "The workspace had this content already: the file as it was.",
      },
      errors: ["not_configured"],
    },
    async (request) => {
      const { ctx } = request;
      const { file, existing } = await createFile(ctx, request.file());
      return { body: { data: presentFile(ctx, file) }, existing };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listFiles",
      tag,
      summary: "List files",
      description: "What is known of them; their bytes are at their `url`.",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(File) },
    },
    async (request) => {
      const { ctx } = request;
      const page = toPageRequest(request.query);
      const present = (row: FileRow) => presentFile(ctx, row);
      return { body: toList(await listFiles(ctx, page), page, present) };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "get",
      operationId: "getFile",
      summary: "Read a file",
      description: "What is known of it; its bytes are at its `url`.",
      access: read,
      success: { status: 200, description: "The file.", schema: FileAnswer },
    },
    async (request) => {
      const { ctx } = request;
      return { body: { data: presentFile(ctx, await getFile(ctx, request.params.file)) } };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "delete",
      operationId: "deleteFile",
      summary: "Delete a file",
      description:
        "409 while something uses it: the message says what. A page uses the files of its draft and of what visitors get, not those of its older versions. Its address answers 404 within a minute, unless another workspace has the same content; browsers keep what they have.",
      access: write,
      success: { status: 204, description: "Gone." },
      errors: ["conflict"],
    },
    async (request) => {
      const { ctx } = request;
      await deleteFile(ctx, await getFile(ctx, request.params.file), users);
      return {};
    },
  );
}
