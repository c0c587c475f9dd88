import type { z } from "@hono/zod-openapi";
import { OPERATOR_TAG, operatorRoute } from "../../../access/operator/operator-route.ts";
import type { Api } from "../../../api/api.ts";
import { toList, toPageRequest } from "../../../api/pagination.ts";
import { toTimestamp } from "../../../platform/time.ts";
import type { ReportRow } from "./reports.repository.ts";
import {
  ChangeReport,
  type Report,
  ReportAnswer,
  ReportList,
  ReportParams,
  ReportQuery,
} from "./reports.schemas.ts";
import { changeReport, listReports } from "./reports.service.ts";

const PATH = "/admin/v1/reports";

export function addReportRoutes(api: Api): void {
  operatorRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "listReports",
      tag: OPERATOR_TAG,
      summary: "List what visitors reported",
      description:
        "Reports of pages and short links, sent with the form at `/_report` of any host. A page or a link has at most 20 open ones: further ones are thanked for, and not kept. A report is kept for 180 days after its last change. Who reported is not stored.",
      query: ReportQuery,
      success: { status: 200, description: "Newest first.", schema: ReportList },
    },
    async (request) => {
      const page = toPageRequest(request.query);
      const rows = await listReports(request.ctx, request.query.status, page);
      return { body: toList(rows, page, presentReport) };
    },
  );
  operatorRoute(
    api,
    {
      method: "patch",
      path: `${PATH}/{report}`,
      operationId: "changeReport",
      tag: OPERATOR_TAG,
      summary: "Resolve, dismiss or reopen a report",
      description:
        "This alone switches nothing off: see `PATCH /admin/v1/workspaces/{workspace}/pages/{page}` and `…/links/{link}`.",
      params: ReportParams,
      body: ChangeReport,
      success: { status: 200, description: "The report as it is now.", schema: ReportAnswer },
    },
    async (request) => {
      const report = await changeReport(request.ctx, request.params.report, request.body());
      return { body: { data: presentReport(report) } };
    },
  );
}

function presentReport(row: ReportRow): z.input<typeof Report> {
  const { id, status, reason, details, url, workspaceId, kind, targetId, note } = row;
  return {
    id,
    status,
    reason,
    details,
    url,
    workspace: workspaceId,
    target: { type: kind, id: targetId },
    note,
    created_at: toTimestamp(row.createdAt),
    updated_at: toTimestamp(row.updatedAt),
  };
}
