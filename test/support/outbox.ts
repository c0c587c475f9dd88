import { env } from "cloudflare:workers";
import { takeFanOutTurn } from "../../src/deliveries/fan-out-turn.ts";
import { TARGETS } from "../../src/delivery-targets.ts";
import { EVENT_TYPES } from "../../src/event-types.ts";
import { leastIdAt } from "../../src/platform/ids.ts";
import { POST_PUBLISHED } from "./webhooks.ts";
import { workIn } from "./work.ts";
import type { Workspace } from "./workspace.ts";

/** Puts events into the outbox, of which nobody is told. */
export async function publishUnheard({ id }: Workspace, count: number, at = Date.now() - 6000) {
  const data = JSON.stringify(
    EVENT_TYPES.find(({ name }) => name === POST_PUBLISHED.event)?.sample,
  );
  const base = leastIdAt(at).slice(0, 24);
  await env.DB.prepare(
    `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?1)
     INSERT INTO events (id, workspace_id, type, channel, test, data, created_at)
     SELECT ?5 || lower(hex(randomblob(6))), ?2, ?3, 'all', 0, ?4, ?6 FROM each`,
  )
    .bind(count, id, POST_PUBLISHED.event, data, base, at)
    .run();
}

/** How many events of a workspace are to be fanned out. */
export async function waitingOf({ id }: Workspace): Promise<number> {
  const sql = "SELECT count(*) AS n FROM events WHERE workspace_id = ? AND fanned_out_at IS NULL";
  return (await env.DB.prepare(sql).bind(id).first<number>("n")) ?? 0;
}

export async function firstWaiting({ id }: Workspace): Promise<string> {
  const sql = "SELECT id FROM events WHERE workspace_id = ? AND fanned_out_at IS NULL LIMIT 1";
  return String(await env.DB.prepare(sql).bind(id).first<string>("id"));
}

const LANES_ASLEEP = { getByName: () => ({ wake: async () => undefined }) };

/** Makes deliveries that no lane is told of. */
export async function owe(workspace: Workspace, count: number): Promise<void> {
  await publishUnheard(workspace, count);
  const work = workIn(workspace.id);
  const quiet = { ...work, env: { ...env, DELIVERY_LANE: LANES_ASLEEP } } as unknown as typeof work;
  await takeFanOutTurn(quiet, TARGETS, await firstWaiting(workspace));
}
