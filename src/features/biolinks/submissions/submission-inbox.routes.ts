import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { describeExport, exportedFile } from "../../../api/exported-file.ts";
import { EARLY_END, listOf, toPageRequest, toPart } from "../../../api/pagination.ts";
import type { ClientContext, Context } from "../../../platform/context/context.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import { deleteSubmissions, eraseSubmissionsOf } from "./submission-erasure.service.ts";
import { exportLines, findExported, MAX_EXPORTED } from "./submission-export.service.ts";
import { presentSubmission } from "./submission-inbox.presenter.ts";
import {
  BulkDeletedAnswer,
  BulkDeleteSubmissions,
  ErasedAnswer,
  EraseSubmissions,
  ExportSubmissionsQuery,
  ListSubmissionsQuery,
  Submission,
  SubmissionAnswer,
  SubmissionParams,
  UpdateSubmission,
} from "./submission-inbox.schemas.ts";
import {
  deleteSubmission,
  getSubmission,
  listSubmissions,
  markSpam,
  namesOfBlocks,
  updateSubmission,
} from "./submission-inbox.service.ts";
import { MAX_FIELD_COLUMNS } from "./submission-lines.ts";
import { release } from "./submission-release.service.ts";
import { SUBMISSION } from "./submissions.examples.ts";
import type { SubmissionRow } from "./submissions.repository.ts";

const PATH = "/api/v1/biolinks/submissions";
const tag = "Submissions";
const ofOne = { path: `${PATH}/{submission}`, tag, params: SubmissionParams };
const one = {
  status: 200,
  description: "The submission.",
  schema: SubmissionAnswer,
  etag: true,
} as const;

const read: Access = {
  feature: "biolinks",
  permission: "biolinks:submissions:read",
  idempotencyKey: "unused",
};
const write: Access = { ...read, permission: "biolinks:submissions:write" };
/** One undoes the other: once it has answered, it undoes nothing under its key that came after it. */
const judge: Access = { ...write, idempotencyKey: "optional" };
const remove: Access = { ...judge, runsAgain: true };

const NO_COPY =
  "What its events say goes with it, and what receivers of webhooks answered: deliveries that wait fail with `payload_purged`.";

async function answer(ctx: Context, row: SubmissionRow) {
  const names = await namesOfBlocks(ctx, [row]);
  return { body: { data: presentSubmission(row, names) }, revision: row.revision };
}

/** A run that was cut off behind its commit has done it: its retry is answered as that would have been. */
function isDoneBy({ creates }: ClientContext, row: SubmissionRow, status: SubmissionRow["status"]) {
  return creates.resumed && row.status === status;
}

export function addSubmissionRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listSubmissions",
      tag,
      summary: "List submissions",
      description: `\`since\` and \`until\` compare with \`created_at\`: a range holds its beginning and not its end. With more than one filter, or \`is_read=true\` or \`is_starred=false\`: ${EARLY_END}`,
      access: read,
      query: ListSubmissionsQuery,
      success: { status: 200, description: "Newest first.", schema: listOf(Submission) },
    },
    async (request) => {
      const { query } = request;
      const { rows, lastId } = await listSubmissions(request.ctx, query, toPageRequest(query));
      const names = await namesOfBlocks(request.ctx, rows);
      return { body: toPart(rows, lastId, (row) => presentSubmission(row, names)) };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/export`,
      operationId: "exportSubmissions",
      tag,
      summary: "Export submissions as a file",
      description: `Newest first, all that the filters leave when it is asked for, at most ${MAX_EXPORTED} and some 350 MB; more: 422, then ask for a part of the time. CSV (RFC 4180) in UTF-8 with a byte order mark, its first line the columns' names: \`answers.<field id>\` for each field that was answered, at most ${MAX_FIELD_COLUMNS}, the answers of others as JSON in \`more_answers\`. Several options are separated by commas, consents are JSON. A text that a spreadsheet would run as a formula has an apostrophe before the sign of that, also within the text, where programs may begin a cell or a line. NDJSON: the submissions as they are answered in JSON, one a line.`,
      access: read,
      query: ExportSubmissionsQuery,
      success: {
        status: 200,
        description: "The file.",
        files: describeExport("Submissions", SUBMISSION),
      },
    },
    async ({ ctx, query: { format, ...filter } }) => {
      const exported = await findExported(ctx, filter);
      const name = `submissions-${toTimestamp(now()).slice(0, 10)}`;
      return { file: exportedFile(name, format, exportLines(ctx, exported, format)) };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PATH}/bulk-delete`,
      operationId: "bulkDeleteSubmissions",
      tag,
      summary: "Delete many submissions",
      description: `Of each: ${NO_COPY}`,
      access: remove,
      body: BulkDeleteSubmissions,
      success: { status: 200, description: "Which were deleted.", schema: BulkDeletedAnswer },
    },
    async (request) => {
      const deleted = await deleteSubmissions(request.ctx, request.body().ids);
      return { body: { data: { deleted } } };
    },
  );

  clientRoute(
    api,
    {
      method: "post",
      path: `${PATH}/erase`,
      operationId: "eraseSubmissions",
      tag,
      summary: "Erase all that somebody sent",
      description: `For a person who asks for it; it cannot be undone. Deletes every submission with the address in an email field, or as all that was typed into a text or hidden field (of those sent since 2026-11-27), whatever the form and the case. Of each: ${NO_COPY} The contact that they made, if they did, is erased by \`POST /api/v1/contacts/{contact}/erase\`. What stays for a while: answers to a release or a mark as spam, kept, encrypted, to replay them with an \`Idempotency-Key\` (24 hours).`,
      access: remove,
      body: EraseSubmissions,
      success: { status: 200, description: "What was erased.", schema: ErasedAnswer },
    },
    async (request) => {
      const data = await eraseSubmissionsOf(request.ctx, request.body().email);
      return { body: { data } };
    },
  );

  clientRoute(
    api,
    {
      ...ofOne,
      method: "get",
      operationId: "getSubmission",
      summary: "Read a submission",
      description: "Reading it does not mark it as read: `PATCH` does.",
      access: read,
      // The form may be called otherwise since.
      success: { ...one, holdsMore: true },
    },
    async ({ ctx, params }) => answer(ctx, await getSubmission(ctx, params.submission)),
  );

  clientRoute(
    api,
    {
      ...ofOne,
      method: "patch",
      operationId: "updateSubmission",
      summary: "Mark a submission as read or starred",
      description: "These two are the workspace's own: no event tells of them.",
      access: write,
      body: UpdateSubmission,
      ifMatch: true,
      success: { ...one, description: "The submission as it is now." },
    },
    async (request) => {
      const row = await getSubmission(request.ctx, request.params.submission);
      const expected = request.expectRevision(row.revision);
      return answer(
        request.ctx,
        await updateSubmission(request.ctx, row, expected, request.body()),
      );
    },
  );

  clientRoute(
    api,
    {
      ...ofOne,
      method: "delete",
      operationId: "deleteSubmission",
      summary: "Delete a submission",
      description: NO_COPY,
      access: write,
      ifMatch: true,
      success: { status: 204, description: "Gone." },
    },
    async (request) => {
      const row = await getSubmission(request.ctx, request.params.submission);
      await deleteSubmission(request.ctx, row, request.expectRevision(row.revision));
      return {};
    },
  );

  clientRoute(
    api,
    {
      ...ofOne,
      method: "post",
      path: `${ofOne.path}/release`,
      operationId: "releaseSubmission",
      summary: "Accept a submission that was held, or is spam",
      description:
        "As if the form had accepted it: its contact is made, or added to, with the form's tags, and `biolinks.submission.received` is told, once however often it is released. One that is accepted already stays as it is. 409: the form takes one submission of each address, and has another of this.",
      access: judge,
      ifMatch: "optional",
      success: { ...one, description: "The submission, accepted." },
      errors: ["conflict", "storage_full"],
    },
    async (request) => {
      const row = await getSubmission(request.ctx, request.params.submission);
      if (isDoneBy(request.ctx, row, "accepted")) return answer(request.ctx, row);
      const expected = request.expectRevisionIfSent(row.revision);
      return answer(request.ctx, await release(request.ctx, row, expected));
    },
  );

  clientRoute(
    api,
    {
      ...ofOne,
      method: "post",
      path: `${ofOne.path}/mark-spam`,
      operationId: "markSubmissionAsSpam",
      summary: "Mark a submission as spam",
      description:
        "It is deleted 30 days later, or when its form's retention ends, if that is earlier. What was told of it, and the contact that it made, stay.",
      access: judge,
      ifMatch: "optional",
      success: { ...one, description: "The submission, spam." },
    },
    async (request) => {
      const row = await getSubmission(request.ctx, request.params.submission);
      if (isDoneBy(request.ctx, row, "spam")) return answer(request.ctx, row);
      const expected = request.expectRevisionIfSent(row.revision);
      return answer(request.ctx, await markSpam(request.ctx, row, expected));
    },
  );
}
