import type { Context } from "../../../platform/context/context.ts";
import { findPixelIds } from "./pixels.repository.ts";

/** Those of the ids that are no pixels of this workspace. */
export async function findForeignPixels(
  { db, workspaceId }: Context,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const own = new Set(await findPixelIds(db, workspaceId, ids));
  return ids.filter((id) => !own.has(id));
}
