/** What the rows of a slice ask for, and what became of them. */
import { ApiError } from "../../../../api/errors.ts";
import { validate } from "../../../../api/validation.ts";
import type { Context } from "../../../../platform/context/context.ts";
import { leadsToPlatform } from "../../../../platform/platform-host.ts";
import { contentOfPath } from "../../files/file-types.ts";
import { findPictures } from "../../files/files.ports.ts";
import type { ProductUpsert, UpsertOutcome } from "../product-upsert.ts";
import { UpdateProduct } from "../products.schemas.ts";
import type { FeedColumn } from "./feed-columns.ts";
import { readSlice } from "./feed-file.ts";
import { COLUMNS_OF, type ImageOf, type RowError, readRow } from "./feed-row.ts";
import type { ImportWork, SliceRow, StepDone } from "./product-imports.repository.ts";
import { type ImportError, MAX_ERRORS } from "./product-imports.schemas.ts";
import { findSurplus } from "./surplus-values.ts";

/** A row with what it asks for, or what is wrong with it. */
export type JudgedRow = { row: number } & ({ input: ProductUpsert } | { errors: RowError[] });

/** Reads the rows of a slice. Pictures that are files of the workspace are looked up together. */
export async function judgeRows(
  ctx: Context,
  { columns, delimiter }: ImportWork,
  slice: SliceRow,
): Promise<JudgedRow[]> {
  const rows = readSlice(slice, delimiter);
  const repeated = new Map(slice.repeated);
  const imageOf = await findImages(ctx, columns, rows);
  return rows.map(({ row, cells }): JudgedRow => {
    // Its values may stand in the wrong columns, so nothing else is said of them.
    const surplus = findSurplus(columns, cells, delimiter);
    if (surplus) return { row, errors: [surplus] };
    const { id, input, labelColumns, errors } = readRow(columns, cells, imageOf);
    const earlier = repeated.get(row);
    if (id === "") errors.push({ field: columnOf(columns, "external_id"), message: NO_ID });
    else if (earlier !== undefined) {
      const message = `Row ${earlier} has the same id.`;
      errors.push({ field: columnOf(columns, "external_id"), message });
    }
    try {
      const valid = validate(UpdateProduct, input);
      if (errors.length === 0) return { row, input: { ...valid, external_id: id } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors.push(...problemsOf(error, columns, labelColumns));
    }
    return { row, errors };
  });
}

const NO_ID = "Must not be empty.";

const LABEL_PATH = /^labels\.(\d+)$/;

/** An error of the API's fields as one of the file's columns. */
function problemsOf(
  { errors = {} }: ApiError,
  columns: readonly FeedColumn[],
  labelColumns: readonly string[],
): RowError[] {
  const seen = new Set<string>();
  return Object.entries(errors).flatMap(([path, messages]) => {
    const [, label] = LABEL_PATH.exec(path) ?? [];
    const field = (label && labelColumns[Number(label)]) || columnOf(columns, path);
    if (seen.has(field)) return [];
    seen.add(field);
    return { field, message: messages[0] ?? "" };
  });
}

/** The column that tells a field of the API's: `price.amount` is told by the price. */
function columnOf(columns: readonly FeedColumn[], path: string): string {
  const [name = ""] = path.split(".");
  const fields: readonly string[] = COLUMNS_OF[name] ?? [name];
  return columns.find(({ field }) => fields.includes(field))?.name ?? fields[0] ?? name;
}

const IMAGE_COLUMNS: readonly string[] = ["image_link", "additional_image_link"];
const OWN_FILE = /\/assets\/f\/[0-9a-f]{64}\.[a-z]+/;
const OWN_FILES = /\/assets\/f\/([0-9a-f]{64})\.[a-z]+/g;

async function findImages(
  ctx: Context,
  columns: readonly FeedColumn[],
  rows: readonly { cells: string[] }[],
): Promise<ImageOf> {
  const places = columns.filter(({ field }) => IMAGE_COLUMNS.includes(field));
  const contents = rows.flatMap(({ cells }) =>
    places.flatMap(({ at }) => {
      const text = cells[at] ?? "";
      return OWN_FILE.test(text) ? [...text.matchAll(OWN_FILES)].map(([, name = ""]) => name) : [];
    }),
  );
  const pictures = await findPictures(ctx, contents);
  return (text) => {
    const url = OWN_FILE.test(text) ? URL.parse(text) : null;
    const content = url && leadsToPlatform(ctx.platformOrigin, url) && contentOfPath(url.pathname);
    const file = content ? pictures.get(content) : undefined;
    return file ? { file } : { url: text };
  };
}

/** What a step did, by what became of its rows; `outcomes` are those of the inputs, in their order. */
export function stepOfRows(
  work: ImportWork,
  rows: readonly JudgedRow[],
  outcomes: readonly UpsertOutcome[],
): StepDone {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const errors: ImportError[] = [];
  let at = 0;
  const fail = (row: number, problems: readonly RowError[]) => {
    counts.failed++;
    errors.push(...problems.map((problem) => ({ row, ...problem })));
  };
  for (const judged of rows) {
    if ("errors" in judged) {
      fail(judged.row, judged.errors);
      continue;
    }
    const outcome = outcomes[at++];
    if (!outcome) throw new Error("An import was told less than it asked for.");
    if (outcome.outcome !== "refused") counts[outcome.outcome]++;
    else {
      const field = columnOf(work.columns, outcome.field);
      fail(judged.row, [{ field, message: outcome.message }]);
    }
  }
  const kept = errors.slice(0, MAX_ERRORS - work.errorsKept);
  const next = work.nextStep + 1;
  const isSpoilt = next === work.rowSteps && work.failed + counts.failed > 0;
  return {
    ...counts,
    deleted: 0,
    errors: kept.map((error) => `,${JSON.stringify(error)}`).join(""),
    errorsKept: kept.length,
    isOver: true,
    // Products that the file does not name are deleted only if all of it could be read.
    isLast: next >= work.steps || isSpoilt,
  };
}
