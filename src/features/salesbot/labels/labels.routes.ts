import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { exampleId, idParams } from "../../../api/ids.ts";
import { listOf, PageQuery, toList, toPageRequest } from "../../../api/pagination.ts";
import { LABEL } from "./labels.examples.ts";
import type { LabelKind, LabelUsers } from "./labels.ports.ts";
import type { LabelRow } from "./labels.repository.ts";
import { CreateLabel, Label, LabelAnswer, UpdateLabel } from "./labels.schemas.ts";
import {
  createLabel,
  deleteLabel,
  getLabel,
  listLabels,
  presentLabel,
  renameLabel,
} from "./labels.service.ts";

const read: Access = {
  feature: "salesbot",
  permission: "salesbot:contacts:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "salesbot:contacts:write" };

function answer(label: LabelRow) {
  return { body: { data: presentLabel(label) }, revision: label.revision };
}

/** The operations of tags, or of stages. */
function addLabelRoutesOf(api: Api, users: LabelUsers, kind: LabelKind, tag: string): void {
  const path = `/api/v1/${kind}s`;
  const noun = kind[0]?.toUpperCase() + kind.slice(1);
  const example = { ...LABEL, id: exampleId(kind) };
  const one = { path: `${path}/{${kind}}`, tag, params: idParams<LabelKind>(kind) };

  clientRoute(
    api,
    {
      method: "post",
      path,
      operationId: `create${noun}`,
      tag,
      summary: `Create a ${kind}`,
      description: "A name is given once in a workspace, whatever its case: else 422.",
      access: { ...write, idempotencyKey: "optional" },
      body: CreateLabel,
      success: {
        status: 201,
        description: `The ${kind}.`,
        schema: LabelAnswer,
        example: { data: example },
        etag: true,
      },
    },
    async (request) => {
      const { name } = request.body();
      return answer(await createLabel(request.ctx, kind, name));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path,
      operationId: `list${noun}s`,
      tag,
      summary: `List ${kind}s`,
      description: "All of the workspace.",
      access: read,
      query: PageQuery,
      success: {
        status: 200,
        description: "Newest first.",
        schema: listOf(Label),
        example: { data: [example], next_cursor: null },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listLabels(request.ctx, kind, page);
      return { body: toList(rows, page, presentLabel) };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "get",
      operationId: `get${noun}`,
      summary: `Read a ${kind}`,
      description: "Its name, and when it was changed.",
      access: read,
      success: {
        status: 200,
        description: `The ${kind}.`,
        schema: LabelAnswer,
        example: { data: example },
        etag: true,
      },
    },
    async (request) => answer(await getLabel(request.ctx, kind, request.params[kind])),
  );

  clientRoute(
    api,
    {
      ...one,
      method: "patch",
      operationId: `update${noun}`,
      summary: `Rename a ${kind}`,
      description: "Its contacts keep it, and are not changed.",
      access: write,
      body: UpdateLabel,
      ifMatch: "optional",
      success: {
        status: 200,
        description: `The ${kind} as it is now.`,
        schema: LabelAnswer,
        example: { data: example },
        etag: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      const label = await getLabel(ctx, kind, request.params[kind]);
      const expected = request.expectRevisionIfSent(label.revision);
      return answer(await renameLabel(ctx, kind, label, expected, request.body().name));
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "delete",
      operationId: `delete${noun}`,
      summary: `Delete a ${kind}`,
      description: `It is gone from every answer at once, and its name is free. Its contacts are changed after the answer, many within minutes: each gets a new revision and its event \`salesbot.contact.updated\`. 409 while a segment uses it: the message names the segments.`,
      access: write,
      ifMatch: "optional",
      success: { status: 204, description: "Gone." },
      errors: ["conflict"],
    },
    async (request) => {
      const { ctx } = request;
      const label = await getLabel(ctx, kind, request.params[kind]);
      const expected = request.expectRevisionIfSent(label.revision);
      await deleteLabel(ctx, kind, label, expected, users);
      return {};
    },
  );
}

export function addLabelRoutes(api: Api, users: LabelUsers): void {
  addLabelRoutesOf(api, users, "tag", "Tags");
  addLabelRoutesOf(api, users, "stage", "Stages");
}
