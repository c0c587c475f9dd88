import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { EARLY_END, listOf, PageQuery, toPageRequest, toPart } from "../../../api/pagination.ts";
import { presentContact } from "../contacts/contacts.presenter.ts";
import { Contact } from "../contacts/contacts.schemas.ts";
import type { DroppedRule } from "./conditions.ts";
import { describeFields } from "./segment-fields.ts";
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
  presentSegment,
  previewSegment,
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

function answer(segment: SegmentRow, dropped: DroppedRule[] = []) {
  return { body: { data: presentSegment(segment, dropped) }, revision: segment.revision };
}

export function addSegmentRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/fields`,
      operationId: "listSegmentFields",
      tag,
      summary: "List what rules may ask of contacts",
      description:
        "Negative operators also match contacts without a value. Letters A to Z, languages and countries compare in any case. The value of a rule on a custom field says its type: `true` asks for neither 1 nor a text. A date is its whole day in UTC, a month 30 days.",
      access: read,
      success: { status: 200, description: "Every field.", schema: SegmentFieldsAnswer },
    },
    async () => ({ body: { data: describeFields() } }),
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PATH}/preview`,
      operationId: "previewSegment",
      tag,
      summary: "See what a segment would select",
      description:
        "Nothing is saved. The count stops at 10,000, or when it has read 50,000 rows or taken a tenth of a second: then `more` is true.",
      access: { ...read, idempotencyKey: "optional", runsAgain: true },
      body: PreviewSegment,
      success: { status: 200, description: "How many, and the first.", schema: PreviewAnswer },
    },
    async (request) => {
      const preview = await previewSegment(request.ctx, request.body());
      const data = {
        contacts_count: preview.count,
        more: preview.more,
        contacts: preview.contacts.map(presentContact),
        conditions: preview.conditions,
        dropped_rules: preview.dropped,
      };
      return { body: { data } };
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
      description:
        "A contact is in a segment if it meets all that the segment says. `contacts_count` is kept, and counted anew a minute after contacts changed, or later: the more work the last count was, the later the next one begins.",
      access: { ...write, idempotencyKey: "optional" },
      body: CreateSegment,
      success: { status: 201, description: "The segment.", schema: SegmentAnswer, etag: true },
      errors: ["conflict"],
    },
    async (request) => {
      const { ctx } = request;
      const { segment, dropped } = await createSegment(ctx, request.body());
      return answer(segment, dropped);
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
      description:
        "With their counts, as they were counted last. Where segments are large, a page may end early: go on until `next_cursor` is null.",
      access: read,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Segment) },
    },
    async (request) => {
      const { ctx } = request;
      const { rows, lastId } = await listSegments(ctx, toPageRequest(request.query));
      return { body: toPart(rows, lastId, (row) => presentSegment(row)) };
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
      description: "With its rules, and how many contacts were in it when they were counted last.",
      access: read,
      params: SegmentParams,
      success: {
        status: 200,
        description:
          "The segment. Its `contacts_count` is counted anew with no change of the `ETag`, so it is never a 304.",
        schema: SegmentAnswer,
        etag: true,
        holdsMore: true,
      },
    },
    async (request) => {
      const { ctx } = request;
      return answer(await getSegment(ctx, request.params.segment));
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
      description: `Those that are in it now: ${EARLY_END}`,
      access: read,
      params: SegmentParams,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Contact) },
    },
    async (request) => {
      const { ctx } = request;
      const segment = await getSegment(ctx, request.params.segment);
      const page = toPageRequest(request.query);
      const { contacts, lastId } = await listSegmentContacts(ctx, segment, page);
      return { body: toPart(contacts, lastId, presentContact) };
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
      description: "`conditions` are replaced as a whole. The count is made anew.",
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
    async (request) => {
      const { ctx } = request;
      const found = await getSegment(ctx, request.params.segment);
      const expected = request.expectRevision(found.revision);
      const { segment, dropped } = await updateSegment(ctx, found, expected, request.body());
      return answer(segment, dropped);
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
    async (request) => {
      const { ctx } = request;
      const segment = await getSegment(ctx, request.params.segment);
      await deleteSegment(ctx, segment, request.expectRevision(segment.revision));
      return {};
    },
  );
}
