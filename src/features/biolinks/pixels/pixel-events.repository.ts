import { joinWorkspace } from "../../../access/workspaces/workspaces.ports.ts";
import type { Database } from "../../../platform/db/client.ts";
import type { PixelProvider } from "../../../visitor/decide/pixel-beacon.ts";

/** A pixel that can be told of an event now. */
export interface ToldPixel {
  provider: PixelProvider;
  tag: string;
  sealedToken: Uint8Array;
}

/** A pixel with its token, unless it is gone or off by now, or its workspace is. */
export async function findToldPixel(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ToldPixel | undefined> {
  const row = await db.$client
    .prepare(
      `SELECT pixels.provider, pixels.tag, pixels.access_token AS token
       FROM pixels ${joinWorkspace("pixels.workspace_id")}
       WHERE pixels.id = ? AND pixels.workspace_id = ? AND pixels.enabled = 1
         AND pixels.deleted_at IS NULL AND pixels.access_token IS NOT NULL
         AND workspaces.status = 'active'`,
    )
    .bind(id, workspaceId)
    .first<{ provider: PixelProvider; tag: string; token: number[] }>();
  if (!row) return undefined;
  return { provider: row.provider, tag: row.tag, sealedToken: new Uint8Array(row.token) };
}
