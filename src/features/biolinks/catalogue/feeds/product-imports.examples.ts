import { exampleId } from "../../../../api/ids.ts";

export const PRODUCT_IMPORT = {
  id: exampleId("import"),
  status: "done",
  mode: "upsert",
  dry_run: false,
  counts: { rows: 3, created: 1, updated: 1, unchanged: 0, failed: 1, deleted: 0 },
  errors: [{ row: 4, field: "price", message: "Must be a price such as 12.50 EUR." }],
  ignored_columns: ["shelf"],
  message: null,
  created_at: "2026-11-20T08:00:00.000Z",
  finished_at: "2026-11-20T08:00:02.000Z",
};

export const IMPORTED_FILE = `id,title,price,link
MUG-02,"Mug, plain",19.00 EUR,https://shop.example/mug-plain
BOWL-01,Bowl,32.00 EUR,https://shop.example/bowl
`;
