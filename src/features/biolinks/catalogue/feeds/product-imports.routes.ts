import { clientRoute } from "../../../../access/gate/client-route.ts";
import type { Api } from "../../../../api/api.ts";
import { readCatalogue, writeCatalogue } from "../catalogue-access.ts";
import { MAX_ROWS } from "./feed-file.ts";
import { FEED_ROW } from "./product-feed.schemas.ts";
import { IMPORTED_FILE } from "./product-imports.examples.ts";
import { presentImport } from "./product-imports.presenter.ts";
import {
  ImportAnswer,
  ImportParams,
  ImportQuery,
  KEPT_IMPORTS,
} from "./product-imports.schemas.ts";
import { getImport, startImport } from "./product-imports.service.ts";

const tag = "Catalogue";
const IMPORTS = "/api/v1/biolinks/catalogue/imports";
const MAX_BYTES = 10 * 1024 * 1024;

export function addProductImportRoutes(api: Api): void {
  clientRoute(
    api,
    {
      method: "post",
      path: IMPORTS,
      operationId: "importProducts",
      tag,
      summary: "Import products",
      description: `A feed of at most 10 MiB and ${MAX_ROWS.toLocaleString("en")} rows in UTF-8: CSV (its values separated by commas or semicolons) or tab separated values, which the first row tells. That row names the columns as Google's and Meta's product feeds do, in any order and case: \`id\` (the product's \`external_id\`), \`title\`, \`description\`, \`link\`, \`image_link\`, \`additional_image_link\`, \`price\` ("12.50 USD"), \`sale_price\`, \`sale_price_effective_date\`, \`availability\` ("in stock" or "in_stock"), \`condition\`, \`brand\`, \`gtin\`, \`mpn\`, \`item_group_id\`, \`google_product_category\`, \`product_type\`, \`custom_label_0\` to \`custom_label_4\`, \`status\`. Only \`id\` must be there, and the title of a new product: fields without a column stay as they are, and an empty value takes a field away.

The answer is a job: read its progress. A row with something wrong fails alone, and \`errors\` say what. One import of a workspace runs at a time; its last ${KEPT_IMPORTS} are kept, without their files. Each product that changed has its event, \`biolinks.product.updated\` or \`.deleted\`.`,
      access: { ...writeCatalogue, idempotencyKey: "optional" },
      query: ImportQuery,
      upload: {
        maxBytes: MAX_BYTES,
        mediaTypes: ["text/csv", "text/tab-separated-values", "application/octet-stream"],
        row: FEED_ROW,
        example: { mediaType: "text/csv", content: IMPORTED_FILE },
      },
      success: { status: 202, description: "The job.", schema: ImportAnswer },
      errors: ["conflict", "storage_full"],
    },
    async (request) => {
      const { mode, dry_run } = request.query;
      const input = { bytes: request.file(), mode, dryRun: dry_run };
      return { body: { data: presentImport(await startImport(request.ctx, input)) } };
    },
  );

  clientRoute(
    api,
    {
      method: "get",
      path: `${IMPORTS}/{import}`,
      operationId: "getProductImport",
      tag,
      summary: "Read an import of products",
      description:
        "Ask again until `status` is `done` or `failed`. The last 20 of a workspace are kept.",
      access: readCatalogue,
      params: ImportParams,
      success: { status: 200, description: "How far it is.", schema: ImportAnswer },
    },
    async ({ ctx, params }) => ({
      body: { data: presentImport(await getImport(ctx, params.import)) },
    }),
  );
}
