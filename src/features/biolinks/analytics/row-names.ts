import type { Context } from "../../../platform/context/context.ts";
import type { NamesOf } from "./analytics.ports.ts";
import type { AnalyticsRow } from "./analytics.schemas.ts";
import type { Dimension } from "./ledger-shapes.ts";

/** The field that tells what a dimension's value is called. */
const NAME_FIELDS = { block: "block_name", product: "product_name" } as const;
type Named = keyof typeof NAME_FIELDS;
const NAMED = Object.keys(NAME_FIELDS) as Named[];

/** The field with the name of a dimension's values, if they have names. */
export function nameField(dimension: Dimension): (typeof NAME_FIELDS)[Named] | undefined {
  const named = NAMED.find((name) => name === dimension);
  return named && NAME_FIELDS[named];
}

/** Has rows that tell of blocks or products say what these are called. At most some thousands at once. */
export async function nameRows<Row extends AnalyticsRow>(
  ctx: Context,
  namesOf: NamesOf,
  rows: Row[],
): Promise<Row[]> {
  for (const dimension of NAMED) {
    const ids = rows.flatMap((row) => row[dimension] ?? []);
    if (ids.length === 0) continue;
    const names = await namesOf[dimension](ctx, ids);
    for (const row of rows) {
      const id = row[dimension];
      if (id) row[NAME_FIELDS[dimension]] = names.get(id) ?? null;
    }
  }
  return rows;
}
