import type { Access } from "../../../access/gate/admission.ts";
import { clientRoute } from "../../../access/gate/client-route.ts";
import type { Api } from "../../../api/api.ts";
import { describeExport, exportedFile } from "../../../api/exported-file.ts";
import { ANALYTICS_ROW } from "./analytics.examples.ts";
import type { NamesOf } from "./analytics.ports.ts";
import {
  AnalyticsAnswer,
  AnalyticsQuery,
  ExportFileQuery,
  RealtimeAnswer,
  RealtimeQuery,
} from "./analytics.schemas.ts";
import { askAnalytics, exportAnalytics, MAX_ROWS } from "./analytics.service.ts";
import { linesOf } from "./analytics-file.ts";
import { MAX_BUCKETS } from "./analytics-question.ts";
import { tellRealtime } from "./realtime.service.ts";
import { nameRows } from "./row-names.ts";

const PATH = "/api/v1/biolinks/analytics";
const tag = "Analytics";

const read: Access = {
  feature: "biolinks",
  permission: "biolinks:analytics:read",
  idempotencyKey: "unused",
};

const WHAT_COUNTS =
  "A hit is of one thing: a view of a page, a click of a link or a block, a scan of a QR code, a submission of a form's block. A scan of a code that leads to a link is a scan of the code and a click of the link. A click of a block that leads to a product is told of once more, as one of the product, to who groups by `product` or filters by it: so no number holds it twice. Numbers are kept by quarters of an hour, so they are exact in every time zone of today, for 25 months.";

const ORDER = `Rows are sorted by time, then by the first metric, the largest first, then by their values. With \`interval\`, each group of the answer has a row for each time. At most ${MAX_BUCKETS} times and ${MAX_ROWS} rows; a question that too much would have to be read for, as two dimensions of millions of hits, is refused with 422 too.`;

export function addAnalyticsRoutes(api: Api, namesOf: NamesOf): void {
  clientRoute(
    api,
    {
      method: "get",
      path: PATH,
      operationId: "getAnalytics",
      tag,
      summary: "Count what happened",
      description: `${WHAT_COUNTS}\n\n${ORDER} All pages are of the range of the first; what is counted in between may move a row from one page to another.`,
      access: read,
      query: AnalyticsQuery,
      success: { status: 200, description: "The numbers, in rows.", schema: AnalyticsAnswer },
    },
    async ({ ctx, query }) => {
      const answer = await askAnalytics(ctx, query);
      return { body: { ...answer, data: await nameRows(ctx, namesOf, answer.data) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/realtime`,
      operationId: "getRealtimeAnalytics",
      tag,
      summary: "Count the last 5 and 30 minutes",
      description:
        "Each hit is told of in the minute in which it was sent to be counted, at most seconds after it happened. The present minute is the first of the 5 and of the 30, and is not over.",
      access: read,
      query: RealtimeQuery,
      success: { status: 200, description: "The last minutes.", schema: RealtimeAnswer },
    },
    async ({ ctx, query }) => ({ body: await tellRealtime(ctx, query) }),
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${PATH}/export`,
      operationId: "exportAnalytics",
      tag,
      summary: "Export numbers as a file",
      description: `The rows of the same question, all in one, without its \`meta\`: the same question to \`GET ${PATH}\` with \`limit=1\` tells it. CSV (RFC 4180) in UTF-8 with a byte order mark, its first line the columns' names; what is not known is empty, and a text that a spreadsheet would run as a formula has an apostrophe before it. NDJSON: the rows as they are answered in JSON, one a line.\n\n${ORDER}`,
      access: read,
      query: ExportFileQuery,
      success: {
        status: 200,
        description: "The file.",
        files: describeExport("Rows of numbers", ANALYTICS_ROW),
      },
    },
    async ({ ctx, query: { format, ...asked } }) => {
      const { rows, question, meta } = await exportAnalytics(ctx, asked);
      const days = [meta.from, meta.to].map((time) => time.slice(0, 10)).join("-to-");
      const lines = linesOf(rows, question, format, (slice) => nameRows(ctx, namesOf, slice));
      return { file: exportedFile(`analytics-${days}`, format, lines) };
    },
  );
}
