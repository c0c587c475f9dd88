/** Webhook endpoints as the deliveries know them. */
import type { Target, TargetPort } from "../../../deliveries/targets.ts";
import { toTimestamp } from "../../../platform/time.ts";
import { noteEnds } from "./endpoint-notes.repository.ts";
import { findSecret, openSecret } from "./endpoint-secret.ts";
import { findSubscribedEndpoints } from "./endpoints.repository.ts";

interface TargetRow {
  id: string;
  url: string;
  enabled: number;
  secret: number[];
  previous_secret: number[] | null;
  previous_secret_expires_at: number | null;
  failing_since: number | null;
}

export const endpointTargets: TargetPort = {
  feature: "webhooks",

  findSubscribed: ({ db, workspaceId }, { type, channel }) =>
    findSubscribedEndpoints(db, workspaceId, type, channel),

  joinLive: (id, workspaceId) => `JOIN webhook_endpoints AS target ON target.id = ${id}
    AND target.workspace_id = ${workspaceId} AND target.enabled = 1`,

  selection: (db, workspaceId, id) =>
    db.$client
      .prepare(
        `SELECT id, url, enabled, secret, previous_secret, previous_secret_expires_at, failing_since
         FROM webhook_endpoints WHERE id = ? AND workspace_id = ?`,
      )
      .bind(id, workspaceId),

  read: (row) => readTarget(row as unknown as TargetRow),

  /** The same on every attempt and resend of an event. */
  payload: (told) => ({
    id: told.eventId,
    type: told.event,
    timestamp: toTimestamp(told.occurredAt),
    workspace: told.workspaceId,
    channel: told.channel,
    test: told.test,
    data: told.data,
  }),

  noting: noteEnds,
};

function readTarget(row: TargetRow): Target {
  const { id, previous_secret: previous, previous_secret_expires_at: expires } = row;
  // Opened once for all attempts that this reading serves; an opening that failed is tried again.
  let current: Promise<string> | undefined;
  let earlier: Promise<string | undefined> | undefined;
  let given: readonly string[] = [];
  const same = (secrets: string[]) => {
    if (secrets.length !== given.length || secrets.some((one, at) => one !== given[at]))
      given = secrets;
    return given;
  };
  return {
    url: row.url,
    enabled: row.enabled === 1,
    failingSince: row.failing_since,
    async secrets(env, time) {
      current ??= openSecret(env, id, new Uint8Array(row.secret));
      const secret = await current.catch((fault: unknown) => {
        current = undefined;
        throw fault;
      });
      if (!previous || expires === null || expires <= time) return same([secret]);
      // The one before signs beside it while it can: without it, this one still does.
      earlier ??= findSecret(env, id, new Uint8Array(previous));
      const before = await earlier.catch((fault: unknown) => {
        earlier = undefined;
        throw fault;
      });
      return same(before === undefined ? [secret] : [secret, before]);
    },
  };
}
