/** Automation hooks as the deliveries know them. */
import type { TargetPort } from "../../deliveries/targets.ts";
import { findSubscribedHooks } from "./automation-hooks.repository.ts";
import { hookPayload } from "./hook-payload.ts";

export const hookTargets: TargetPort = {
  findSubscribed: ({ db, workspaceId }, { type }) => findSubscribedHooks(db, workspaceId, type),

  joinLive: (id, workspaceId) => `JOIN automation_hooks AS target ON target.id = ${id}
    AND target.workspace_id = ${workspaceId}`,

  selection: (db, workspaceId, id) =>
    db.$client
      .prepare("SELECT target_url FROM automation_hooks WHERE id = ? AND workspace_id = ?")
      .bind(id, workspaceId),

  read: (row) => ({
    url: String(row.target_url),
    enabled: true,
    failingSince: null,
    secrets: async () => [],
  }),

  payload: hookPayload,

  // A hook is not paused: whoever asked for it asks again.
  noting: (db, { workspaceId, id }, { stop }) =>
    stop
      ? [
          db.$client
            .prepare("DELETE FROM automation_hooks WHERE id = ? AND workspace_id = ?")
            .bind(id, workspaceId),
        ]
      : [],
};
