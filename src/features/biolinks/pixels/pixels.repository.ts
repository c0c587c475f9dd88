import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/client.ts";
import { pixels } from "./pixels.table.ts";

/** Which of these ids are pixels of the workspace. The ids travel as one parameter: D1 allows 100. */
export async function findPixelIds(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<string[]> {
  const rows = await db
    .select({ id: pixels.id })
    .from(pixels)
    .where(
      and(
        eq(pixels.workspaceId, workspaceId),
        sql`${pixels.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    );
  return rows.map((row) => row.id);
}
