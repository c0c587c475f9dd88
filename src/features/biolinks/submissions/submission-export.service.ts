import { ApiError } from "../../../api/errors.ts";
import type { ExportFormat } from "../../../api/exported-file.ts";
import type { Context } from "../../../platform/context/context.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { findBlockNames } from "../pages/pages.ports.ts";
import { ExportSlices } from "./export-slices.ts";
import { presentSubmission } from "./submission-inbox.presenter.ts";
import { findExportable, findSubmissions } from "./submission-inbox.repository.ts";
import type { SubmissionFilter } from "./submission-inbox.schemas.ts";
import { csvHead, csvOf, jsonOf, MAX_FIELD_COLUMNS } from "./submission-lines.ts";

/** Of one file. */
export const MAX_EXPORTED = 50_000;
/** Looked at for one file, where few of many are asked for. */
const MAX_LOOKED_AT = 200_000;
const LOOKED_AT_ONCE = 2000;
const NAMES_AT_ONCE = 2000;

/** What an export is to hold, before a line of it is made. */
export interface Exported {
  /** The ids of those that are read at once, slice by slice, newest first. */
  slices: string[][];
  /** The ids of the fields that are answered, those of the newest submission first. */
  fields: string[];
  /** The ids of the forms that they were sent with. */
  blocks: string[];
}

/**
 * Looks up which submissions a file is to hold: what comes while it is sent is not in it.
 * @throws 422 when they are too many
 */
export async function findExported(
  { db, workspaceId }: Context,
  filter: SubmissionFilter,
): Promise<Exported> {
  const slices = new ExportSlices();
  const fields = new Set<string>();
  const blocks = new Set<string>();
  let beforeId: string | undefined;
  let [count, lookedAt] = [0, 0];
  for (;;) {
    const page = { limit: LOOKED_AT_ONCE, beforeId };
    const found = await retryTransient(() => findExportable(db, workspaceId, filter, page));
    for (const { id, bytes, blockId, fields: answered } of found) {
      if (bytes === null) continue;
      slices.add(id, bytes);
      blocks.add(blockId);
      count++;
      for (const field of JSON.parse(answered ?? "[]")) fields.add(field);
    }
    lookedAt += found.length;
    const isTooMany = count > MAX_EXPORTED || lookedAt > MAX_LOOKED_AT || slices.isTooMany;
    if (isTooMany) throw tooMany();
    beforeId = found.at(-1)?.id;
    if (found.length < LOOKED_AT_ONCE) break;
  }
  const columns = [...fields].slice(0, MAX_FIELD_COLUMNS);
  return { slices: slices.all, fields: columns, blocks: [...blocks] };
}

/** The lines of a file, made while it is read. */
export async function* exportLines(
  ctx: Context,
  { slices, fields, blocks }: Exported,
  format: ExportFormat,
): AsyncGenerator<string, undefined> {
  const { db, workspaceId } = ctx;
  if (format === "csv") yield csvHead(fields);
  // Of all at once: asked for with each slice, they would be as many queries as the slices.
  const names = new Map<string, string>();
  for (let at = 0; at < blocks.length; at += NAMES_AT_ONCE) {
    const ids = blocks.slice(at, at + NAMES_AT_ONCE);
    const found = await retryTransient(() => findBlockNames(ctx, ids));
    for (const [id, name] of found) names.set(id, name);
  }
  for (const ids of slices) {
    const rows = await retryTransient(() => findSubmissions(db, workspaceId, ids));
    for (const row of rows) {
      const submission = presentSubmission(row, names);
      yield format === "csv" ? csvOf(submission, fields) : jsonOf(submission);
    }
  }
}

function tooMany(): ApiError {
  const message = `More than a file can hold (${MAX_EXPORTED} submissions, fewer if they are large), or too many to look through: ask for those of a page, a form or a shorter time.`;
  return new ApiError("validation_failed", { errors: { since: [message] } });
}
