import type { WorkspacePlace } from "../../../access/workspaces/workspace-places.ports.ts";
import { now } from "../../../platform/time.ts";

/** A workspace's domains, a hundred at most; their hostnames are to go, as when one is deleted. */
export const DOMAINS_OF_WORKSPACE: WorkspacePlace = {
  name: "domains",
  async eraseNext({ db, workspaceId }) {
    const d1 = db.$client;
    await d1.batch([
      d1
        .prepare(
          `INSERT INTO hostname_removals (host, try_at) SELECT host, ?2 FROM domains
           WHERE workspace_id = ?1 AND ssl_check_at IS NOT NULL
           ON CONFLICT (host) DO UPDATE SET try_at = max(try_at + 1, excluded.try_at)`,
        )
        .bind(workspaceId, now()),
      d1.prepare("DELETE FROM domains WHERE workspace_id = ?1").bind(workspaceId),
    ]);
    return undefined;
  },
};
