import type { Context } from "../../../platform/context/context.ts";
import { findBlockNames } from "../pages/pages.ports.ts";
import type { AnalyticsRow } from "./analytics.schemas.ts";

/** Has rows that tell of blocks say what these are called, or were. At most some thousands at once. */
export async function nameBlocks(ctx: Context, rows: AnalyticsRow[]): Promise<AnalyticsRow[]> {
  const names = await findBlockNames(
    ctx,
    rows.flatMap(({ block }) => block ?? []),
  );
  for (const row of rows) if (row.block) row.block_name = names.get(row.block) ?? null;
  return rows;
}
