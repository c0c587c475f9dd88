/** Automation hooks as the deliveries know them. */
import type { TargetPort } from "../../deliveries/targets.ts";
import { now } from "../../platform/time.ts";
import { findSubscribedHooks, hookIsLive, noteEnds } from "./automation-hooks.repository.ts";
import { hookPayload } from "./hook-payload.ts";

export const hookTargets: TargetPort = {
  feature: "automation",

  findSubscribed: ({ db, workspaceId }, { type }) => findSubscribedHooks(db, workspaceId, type),

  joinLive: (id, workspaceId, time) => `JOIN automation_hooks AS target ON target.id = ${id}
    AND target.workspace_id = ${workspaceId} AND ${hookIsLive("target", time)}`,

  selection: (db, workspaceId, id) =>
    db.$client
      .prepare(
        `SELECT target_url, failing_since, ${hookIsLive("hook", "?3")} AS live
         FROM automation_hooks AS hook WHERE id = ?1 AND workspace_id = ?2`,
      )
      .bind(id, workspaceId, now()),

  read: (row) => ({
    url: String(row.target_url),
    enabled: row.live === 1,
    failingSince: row.failing_since as number | null,
    secrets: async () => [],
  }),

  payload: hookPayload,

  noting: (db, ref, ended, time) => noteEnds(db, ref, ended, time),
};
