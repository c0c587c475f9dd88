import { z } from "@hono/zod-openapi";
import { optional } from "../../../api/blank.ts";
import { idParams } from "../../../api/ids.ts";
import { listOf, PageQuery } from "../../../api/pagination.ts";
import { nullableText } from "../../../api/text.ts";
import { REPORT_REASONS, type ReportReason } from "../../../visitor/reports/report-content.ts";
import { CHANGE_REPORT, REPORT } from "./reports.examples.ts";

const reasons = Object.keys(REPORT_REASONS) as [ReportReason, ...ReportReason[]];

const ReportStatus = z.enum(["open", "resolved", "dismissed"]).openapi("ReportStatus", {
  description: "`resolved`: something was done about it. `dismissed`: there was nothing to do.",
});

export const Report = z
  .object({
    id: z.uuid(),
    status: ReportStatus,
    reason: z.enum(reasons),
    details: z.string().openapi({ description: "What the visitor wrote; may be empty." }),
    url: z.string().openapi({ description: "Where the visitor found it." }),
    workspace: z.uuid().openapi({ description: "Whose it is." }),
    target: z
      .object({ type: z.enum(["link", "page"]), id: z.uuid() })
      .openapi({ description: "What stood there. It may be deleted since." }),
    note: z.string().nullable().openapi({ description: "The operator's own." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Report", { example: REPORT });

export const ReportAnswer = z.object({ data: Report });
export const ReportList = listOf(Report);
export const ReportParams = idParams("report");
export const ReportQuery = PageQuery.extend({
  status: optional(ReportStatus).openapi({ description: "Only reports of this status." }),
});

export const ChangeReport = z
  .strictObject({ status: optional(ReportStatus), note: nullableText(500) })
  .openapi("ChangeReport", { example: CHANGE_REPORT });
export type ChangeReport = z.output<typeof ChangeReport>;
