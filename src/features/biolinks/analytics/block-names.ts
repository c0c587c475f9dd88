import type { Context } from "../../../platform/context/context.ts";
import type { FindBlockNames } from "./analytics.ports.ts";
import type { AnalyticsRow } from "./analytics.schemas.ts";

/** Has rows that tell of blocks say what these are called, or were. At most some thousands at once. */
export async function nameBlocks<Row extends AnalyticsRow>(
  ctx: Context,
  find: FindBlockNames,
  rows: Row[],
): Promise<Row[]> {
  const blocks = rows.flatMap(({ block }) => block ?? []);
  if (blocks.length === 0) return rows;
  const names = await find(ctx, blocks);
  for (const row of rows) if (row.block) row.block_name = names.get(row.block) ?? null;
  return rows;
}
