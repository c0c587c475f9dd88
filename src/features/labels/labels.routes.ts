import type { Access } from "../../gate/admission.ts";
import { type ClientCall, clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { listOf, PageQuery, toList, toPage } from "../../http/pagination.ts";
import type { ApiResult } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
import type { LabelKind, LabelRow } from "./labels.repository.ts";
import { CreateLabel, Label, LabelAnswer, LabelParams, UpdateLabel } from "./labels.schemas.ts";
import {
  createLabel,
  deleteLabel,
  getLabel,
  type LabelScope,
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

function answer(status: 200 | 201, label: LabelRow): ApiResult {
  return { status, body: { data: presentLabel(label) }, revision: label.revision };
}

/** The operations of tags, or of stages. */
function addLabelRoutesOf(api: Api, kind: LabelKind, tag: string): void {
  const path = `/api/v1/${kind}s`;
  const noun = kind[0]?.toUpperCase() + kind.slice(1);
  const scopeOf = ({ db }: Pick<LabelScope, "db">, { caller }: ClientCall): LabelScope => {
    return { db, workspaceId: caller.workspaceId, kind };
  };
  const one = { path: `${path}/{id}`, tag, params: LabelParams };

  clientRoute(
    api,
    {
      method: "post",
      path,
      operationId: `create${noun}`,
      tag,
      summary: `Create a ${kind}`,
      access: { ...write, idempotencyKey: "optional" },
      body: CreateLabel,
      success: { status: 201, description: `The ${kind}.`, schema: LabelAnswer, etag: true },
    },
    async (request, call) => {
      const { name } = request.body();
      const id = call.claim?.resourceId ?? newId();
      return answer(201, await createLabel(scopeOf(request, call), id, name));
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
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Label) },
    },
    async (request, call) => {
      const page = toPage(request.query);
      const rows = await listLabels(scopeOf(request, call), page);
      return { status: 200, body: toList(rows, page, presentLabel) };
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "get",
      operationId: `get${noun}`,
      summary: `Read a ${kind}`,
      access: read,
      success: { status: 200, description: `The ${kind}.`, schema: LabelAnswer, etag: true },
    },
    async (request, call) => answer(200, await getLabel(scopeOf(request, call), request.params.id)),
  );

  clientRoute(
    api,
    {
      ...one,
      method: "patch",
      operationId: `update${noun}`,
      summary: `Rename a ${kind}`,
      access: write,
      body: UpdateLabel,
      ifMatch: "optional",
      success: {
        status: 200,
        description: `The ${kind} as it is now.`,
        schema: LabelAnswer,
        etag: true,
      },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const label = await getLabel(scope, request.params.id);
      const expected = request.expectRevisionIfSent(label.revision);
      return answer(200, await renameLabel(scope, label, expected, request.body().name));
    },
  );

  clientRoute(
    api,
    {
      ...one,
      method: "delete",
      operationId: `delete${noun}`,
      summary: `Delete a ${kind}`,
      description: `Every contact loses it at once; no event tells of that. 409 while a segment uses it: the message names the segments.`,
      access: write,
      ifMatch: "optional",
      success: { status: 204, description: "Gone." },
      errors: ["conflict"],
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const label = await getLabel(scope, request.params.id);
      await deleteLabel(scope, label, request.expectRevisionIfSent(label.revision));
      return { status: 204 };
    },
  );
}

export function addLabelRoutes(api: Api): void {
  addLabelRoutesOf(api, "tag", "Tags");
  addLabelRoutesOf(api, "stage", "Stages");
}
