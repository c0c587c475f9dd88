import { z } from "@hono/zod-openapi";
import { withDefault } from "../../../../api/blank.ts";
import { idParams } from "../../../../api/ids.ts";
import { QueryBoolean } from "../../../../api/query-values.ts";
import { PRODUCT_IMPORT } from "./product-imports.examples.ts";

/** How many errors of an import are kept; `counts.failed` counts all rows that failed. */
export const MAX_ERRORS = 1000;
/** How many imports of a workspace are kept. */
export const KEPT_IMPORTS = 20;

export const ImportQuery = z.object({
  mode: withDefault(z.enum(["upsert", "replace"]), "upsert").openapi({
    description:
      "`replace`: when all rows are written and none failed, the products that were there before the import and that the file does not name are deleted.",
  }),
  dry_run: withDefault(QueryBoolean, false).openapi({
    description: "Nothing is written: the job tells what it would do.",
  }),
});

const count = z.number().int();

const ImportError = z
  .object({
    row: count.openapi({
      description: "As spreadsheets count: the names of the columns are row 1.",
    }),
    field: z.string().openapi({ description: "The column, as the file names it." }),
    message: z.string(),
  })
  .openapi("ProductImportError");
export type ImportError = z.output<typeof ImportError>;

export const ProductImport = z
  .object({
    id: z.uuid(),
    status: z.enum(["queued", "running", "done", "failed"]).openapi({
      description:
        "`done`: all rows were looked at, also if some of them failed. `failed`: it could not go on, and `message` says why; what was written by then stays.",
    }),
    mode: z.enum(["upsert", "replace"]),
    dry_run: z.boolean(),
    counts: z.object({
      rows: count.openapi({ description: "Of the file, without empty ones." }),
      created: count,
      updated: count,
      unchanged: count,
      failed: count,
      deleted: count.openapi({ description: "Products that the file does not name." }),
    }),
    errors: z.array(ImportError).openapi({
      description: `What is wrong with rows that failed: the first ${MAX_ERRORS.toLocaleString("en")}.`,
    }),
    ignored_columns: z.array(z.string()).openapi({
      description: "Columns that mean nothing here: the first 50.",
    }),
    message: z.string().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .openapi("ProductImport", { example: PRODUCT_IMPORT });
export type ProductImport = z.output<typeof ProductImport>;

export const ImportAnswer = z.object({ data: ProductImport });
export const ImportParams = idParams("import");
