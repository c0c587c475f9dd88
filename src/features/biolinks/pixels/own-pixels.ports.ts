/** What keeps links and pages from naming a pixel that is deleted while they are written. */
import { sql } from "drizzle-orm";
import { invalid } from "../../../api/errors.ts";
import { isMissing } from "../../../platform/db/faults.ts";
import { areOwnPixels } from "./pixels.ports.ts";

const IF_OWN = sql.raw(`iif(${areOwnPixels("named.ids", "named.workspace_id")}, named.ids, NULL)`);

/**
 * What is written of a link or page, for the query builder: null for its pixels, which their column
 * refuses, when one of them is not the workspace's by now. What was looked up may be deleted since.
 */
export function onlyOwnPixels<Values extends object>(values: Values, workspaceId: string): Values {
  const ids = "pixels" in values ? values.pixels : undefined;
  if (!Array.isArray(ids) || ids.length === 0) return values;
  const named = sql`(SELECT ${JSON.stringify(ids)} AS ids, ${workspaceId} AS workspace_id)`;
  return { ...values, pixels: sql`(SELECT ${IF_OWN} FROM ${named} AS named)` };
}

/** Whether a link or page was not written, as one of the pixels that it names is gone. */
function isPixelGone(error: unknown): boolean {
  return isMissing(error, "links.pixels") || isMissing(error, "pages.pixels");
}

/** @throws 422 in place of a write that was refused for a pixel */
export function refusePixelGone(error: unknown): never {
  if (!isPixelGone(error)) throw error;
  throw invalid("settings.pixels", "One of these pixels was deleted just now.");
}
