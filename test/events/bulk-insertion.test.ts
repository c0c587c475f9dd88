import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import {
  findWanted,
  insertEventsFrom,
  insertManyEventsFrom,
} from "../../src/events/event-insertion.ports.ts";
import { createWorkspace } from "../support/workspace.ts";

const TARGETS = ["target-a", "target-b", "target-c"];
const CHANNELS = ["sms", "email", 'it\'s "quoted"'];
const TYPES = [
  "salesbot.contact.created",
  "salesbot.contact.updated",
  "workspace.endpoint.disabled",
];
const SOURCE = "json_each(?1) AS event";
const ONE_BY_ONE = insertEventsFrom(SOURCE);
const TOGETHER = insertManyEventsFrom(SOURCE, "WHERE true");

let workspaces: string[];

beforeAll(async () => {
  workspaces = [(await createWorkspace()).id, (await createWorkspace()).id];
});

interface Event {
  type: string;
  channel: string;
  about: string | null;
  isErased: boolean;
}

const event: fc.Arbitrary<Event> = fc.record({
  type: fc.constantFrom(...TYPES),
  channel: fc.constantFrom(...CHANNELS),
  about: fc.constantFrom(null, null, ...TARGETS),
  isErased: fc.boolean(),
});
const subscription = fc.record({
  target: fc.constantFrom(...TARGETS),
  type: fc.constantFrom(...TYPES),
  channel: fc.constantFrom("*", ...CHANNELS),
});

/** What a workspace has of events that were written one by one, or together. */
async function written(
  workspaceId: string,
  subscriptions: { target: string; type: string; channel: string }[],
  events: Event[],
  isTogether: boolean,
) {
  const run = (sql: string, ...values: unknown[]) =>
    env.DB.prepare(sql)
      .bind(...values)
      .run();
  await run("DELETE FROM event_subscriptions WHERE workspace_id = ?", workspaceId);
  await run("DELETE FROM events WHERE workspace_id = ?", workspaceId);
  for (const { target, type, channel } of subscriptions)
    await run(
      `INSERT INTO event_subscriptions (workspace_id, event, channel, target_kind, target_id)
       VALUES (?, ?, ?, 'endpoint', ?) ON CONFLICT DO NOTHING`,
      workspaceId,
      type,
      channel,
      target,
    );
  const rows = [];
  for (const [at, { isErased, ...one }] of events.entries()) {
    const subject = crypto.randomUUID();
    if (isErased)
      await run(
        `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at)
         VALUES (?, ?, 0, '', 0, 0)`,
        subject,
        workspaceId,
      );
    rows.push({
      ...one,
      id: crypto.randomUUID(),
      workspaceId,
      subject,
      data: { at },
      createdAt: at,
    });
  }
  const batches = isTogether ? [rows] : rows.map((row) => [row]);
  const wanted = [];
  for (const batch of batches)
    wanted.push(findWanted([await run(isTogether ? TOGETHER : ONE_BY_ONE, JSON.stringify(batch))]));
  const { results } = await env.DB.prepare(
    `SELECT type, channel, data, created_at, fanned_out_at, targets FROM events
     WHERE workspace_id = ? ORDER BY created_at`,
  )
    .bind(workspaceId)
    .all();
  return { results, hasWanted: wanted.some((id) => id !== undefined) };
}

it("many events together are wanted by whom they are one by one, and say the same", async () => {
  const given = [
    fc.array(subscription, { maxLength: 8 }),
    fc.array(event, { minLength: 1, maxLength: 12 }),
  ] as const;
  await fc.assert(
    fc.asyncProperty(...given, async (subscriptions, events) => {
      const [one = "", other = ""] = workspaces;
      const together = await written(one, subscriptions, events, true);
      expect(together).toEqual(await written(other, subscriptions, events, false));
      expect(together.results).toHaveLength(events.length);
    }),
    { numRuns: 40 },
  );
});
