/** Webhook endpoints as the deliveries know them. */
import { INTERNAL_ERROR } from "../../../deliveries/retry-policy.ts";
import type { EndedAttempt, Target, TargetPort } from "../../../deliveries/targets.ts";
import { toTimestamp } from "../../../platform/time.ts";
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

  noting: (db, { workspaceId, id }, ended, now) => {
    const mine = "id = ?1 AND workspace_id = ?2";
    const isDelivered = ended.some(({ error }) => error === null);
    const failing = isDelivered
      ? `UPDATE webhook_endpoints SET failing_since = NULL WHERE ${mine} AND failing_since < ?3`
      : `UPDATE webhook_endpoints SET failing_since = ?3 WHERE ${mine} AND failing_since IS NULL`;
    // A secret that was rotated since the attempt began is not the one that was lost.
    const paused = `UPDATE webhook_endpoints SET enabled = 0, disabled_reason = ?4,
      revision = lower(hex(randomblob(16))), updated_at = ?3
      WHERE ${mine} AND enabled = 1 AND (?5 IS NULL OR updated_at <= ?5)`;
    const d1 = db.$client;
    // Of the receiver, a secret that is lost says nothing; nor does a fault of ours.
    const isAsked = ({ stop, error }: EndedAttempt) =>
      stop !== "secret_unreadable" && error !== INTERNAL_ERROR;
    const stopping = ended.find(({ stop }) => stop !== null);
    const statements = ended.some(isAsked) ? [d1.prepare(failing).bind(id, workspaceId, now)] : [];
    if (stopping) {
      const { stop, startedAt } = stopping;
      const since = stop === "secret_unreadable" ? startedAt : null;
      statements.push(d1.prepare(paused).bind(id, workspaceId, now, stop, since));
    }
    return { statements, eventIds: [] };
  },
};

function readTarget(row: TargetRow): Target {
  const { id, previous_secret: previous, previous_secret_expires_at: expires } = row;
  return {
    url: row.url,
    enabled: row.enabled === 1,
    failingSince: row.failing_since,
    async secrets(env, time) {
      const secret = await openSecret(env, id, new Uint8Array(row.secret));
      if (!previous || expires === null || expires <= time) return [secret];
      // The one before signs beside it while it can: without it, this one still does.
      const before = await findSecret(env, id, new Uint8Array(previous));
      return before === undefined ? [secret] : [secret, before];
    },
  };
}
