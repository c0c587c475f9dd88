import type { Access } from "../../gate/admission.ts";
import { type ClientCall, clientRoute } from "../../gate/client-route.ts";
import type { Api } from "../../http/api.ts";
import { listOf, PageQuery, toList, toPage } from "../../http/pagination.ts";
import type { ApiRequest, ApiResult } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
import { presentContact } from "../contacts/contacts.presenter.ts";
import { Contact } from "../contacts/contacts.schemas.ts";
import type { DroppedRule } from "./conditions.ts";
import { FIELDS, OPERATORS, operatorsOf } from "./segment-fields.ts";
import type { SegmentRow } from "./segments.repository.ts";
import {
  CreateSegment,
  PreviewAnswer,
  PreviewSegment,
  Segment,
  SegmentAnswer,
  SegmentFieldsAnswer,
  SegmentParams,
  UpdateSegment,
} from "./segments.schemas.ts";
import {
  createSegment,
  deleteSegment,
  getSegment,
  listSegmentContacts,
  listSegments,
  presentSegments,
  previewSegment,
  type SegmentScope,
  updateSegment,
} from "./segments.service.ts";

const PATH = "/api/v1/segments";
const ONE = `${PATH}/{segment}`;
const tag = "Segments";

const read: Access = {
  feature: "salesbot",
  permission: "salesbot:contacts:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "salesbot:contacts:write" };

function scopeOf(
  { db }: Pick<ApiRequest<unknown, unknown, unknown>, "db">,
  { caller }: ClientCall,
): SegmentScope {
  return { db, workspaceId: caller.workspaceId };
}

async function answer(
  scope: SegmentScope,
  status: 200 | 201,
  segment: SegmentRow,
  dropped: DroppedRule[] = [],
): Promise<ApiResult> {
  const [data] = await presentSegments(scope, [segment], dropped);
  return { status, body: { data }, revision: segment.revision };
}

const fields = [
  ...FIELDS.map((field) => ({
    field: field.name,
    types: [...field.types],
    operators: operatorsOf(field),
    values: field.values ? [...field.values] : null,
  })),
  {
    field: "custom.<key>",
    types: ["text", "number"],
    operators: [...new Set([...OPERATORS.text, ...OPERATORS.number])],
    values: null,
  },
];

export function addSegmentRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/fields`,
      operationId: "listSegmentFields",
      tag,
      summary: "List what rules may ask of contacts",
      access: read,
      success: { status: 200, description: "Every field.", schema: SegmentFieldsAnswer },
    },
    async () => ({ status: 200, body: { data: fields } }),
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PATH}/preview`,
      operationId: "previewSegment",
      tag,
      summary: "See what a segment would select",
      description: "Nothing is saved.",
      access: { ...read, idempotencyKey: "optional" },
      body: PreviewSegment,
      success: { status: 200, description: "How many, and the first.", schema: PreviewAnswer },
    },
    async (request, call) => {
      const preview = await previewSegment(scopeOf(request, call), request.body());
      const data = {
        contacts_count: preview.count,
        contacts: preview.contacts.map(presentContact),
        conditions: preview.conditions,
        dropped_rules: preview.dropped,
      };
      return { status: 200, body: { data } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: PATH,
      operationId: "createSegment",
      tag,
      summary: "Save a segment",
      description: "A contact is in a segment if it meets all that the segment says.",
      access: { ...write, idempotencyKey: "optional" },
      body: CreateSegment,
      success: { status: 201, description: "The segment.", schema: SegmentAnswer, etag: true },
      errors: ["conflict"],
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const id = call.claim?.resourceId ?? newId();
      const { segment, dropped } = await createSegment(scope, id, request.body());
      return answer(scope, 201, segment, dropped);
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listSegments",
      tag,
      summary: "List segments",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Segment) },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const page = toPage(request.query);
      const list = toList(await listSegments(scope, page), page, (row) => row);
      return { status: 200, body: { ...list, data: await presentSegments(scope, list.data) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: ONE,
      operationId: "getSegment",
      tag,
      summary: "Read a segment",
      access: read,
      params: SegmentParams,
      success: { status: 200, description: "The segment.", schema: SegmentAnswer, etag: true },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      return answer(scope, 200, await getSegment(scope, request.params.segment));
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${ONE}/contacts`,
      operationId: "listSegmentContacts",
      tag,
      summary: "List the contacts of a segment",
      access: read,
      params: SegmentParams,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Contact) },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const segment = await getSegment(scope, request.params.segment);
      const page = toPage(request.query);
      const contacts = await listSegmentContacts(scope, segment, page);
      return { status: 200, body: toList(contacts, page, presentContact) };
    },
  );

  clientRoute(
    api,
    {
      method: "patch",
      path: ONE,
      operationId: "updateSegment",
      tag,
      summary: "Change a segment",
      access: write,
      params: SegmentParams,
      body: UpdateSegment,
      ifMatch: true,
      success: {
        status: 200,
        description: "The segment as it is now.",
        schema: SegmentAnswer,
        etag: true,
      },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const found = await getSegment(scope, request.params.segment);
      const expected = request.expectRevision(found.revision);
      const { segment, dropped } = await updateSegment(scope, found, expected, request.body());
      return answer(scope, 200, segment, dropped);
    },
  );

  clientRoute(
    api,
    {
      method: "delete",
      path: ONE,
      operationId: "deleteSegment",
      tag,
      summary: "Delete a segment",
      description: "Its contacts stay.",
      access: write,
      params: SegmentParams,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request, call) => {
      const scope = scopeOf(request, call);
      const segment = await getSegment(scope, request.params.segment);
      await deleteSegment(scope, segment, request.expectRevision(segment.revision));
      return { status: 204 };
    },
  );
}
