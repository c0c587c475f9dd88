import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { PixelProvider } from "../../../visitor/decide/pixel-beacon.ts";

/** A pixel that can be told of an event now. */
export interface ToldPixel {
  id: string;
  provider: PixelProvider;
  tag: string;
  sealedToken: Uint8Array;
}

/** Pixels with their tokens, but for those that are gone or off by now, or whose workspace is. */
export async function findToldPixels(
  db: Database,
  workspaceId: string,
  ids: string[],
): Promise<ToldPixel[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT pixels.id, pixels.provider, pixels.tag, pixels.access_token AS token
       FROM json_each(?1) AS chosen CROSS JOIN pixels ON pixels.id = chosen.value
         ${joinWorkspace("pixels.workspace_id")}
       WHERE pixels.workspace_id = ?2 AND pixels.enabled = 1
         AND pixels.deleted_at IS NULL AND pixels.access_token IS NOT NULL
         AND workspaces.status = 'active'`,
    )
    .bind(JSON.stringify(ids), workspaceId)
    .all<Omit<ToldPixel, "sealedToken"> & { token: number[] }>();
  return results.map(({ token, ...pixel }) => ({ ...pixel, sealedToken: new Uint8Array(token) }));
}
