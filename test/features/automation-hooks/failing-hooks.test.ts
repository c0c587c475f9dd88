import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { EndedAttempt } from "../../../src/deliveries/targets.ts";
import { hookTargets } from "../../../src/features/automation-hooks/automation-hooks.ports.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createContact } from "../../support/contacts.ts";
import { HOOKS, subscribe } from "../../support/hooks.ts";
import { env, laneOf, newBox, receivedBy, waitForReceived } from "../../support/webhooks.ts";
import { workIn } from "../../support/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const DAY = 24 * 60 * 60 * 1000;

async function failingSince(id: string): Promise<number | null | undefined> {
  const row = await env.DB.prepare("SELECT failing_since FROM automation_hooks WHERE id = ?")
    .bind(id)
    .first<{ failing_since: number | null }>();
  return row?.failing_since;
}

async function waitForEnds(id: string, count: number): Promise<void> {
  const query = `SELECT count(*) AS n FROM target_deliveries, json_each(attempts) AS attempt
    WHERE target_id = ? AND attempt.value ->> 'durationMs' IS NOT NULL`;
  await vi.waitFor(
    async () => expect(await env.DB.prepare(query).bind(id).first("n")).toBe(count),
    { timeout: 60_000, interval: 50 },
  );
}

async function tryAgain(workspace: Workspace, id: string): Promise<void> {
  await env.DB.prepare(
    "UPDATE target_deliveries SET next_attempt_at = 0 WHERE target_id = ? AND status = 'pending'",
  )
    .bind(id)
    .run();
  const { stub, wake } = laneOf(workspace, { kind: "hook", id });
  await wake();
  await runDurableObjectAlarm(stub);
}

/** As if its first failure had been so long ago. */
function failFor(id: string, milliseconds: number): Promise<unknown> {
  return env.DB.prepare("UPDATE automation_hooks SET failing_since = ? WHERE id = ?")
    .bind(Date.now() - milliseconds, id)
    .run();
}

/** A hook with a delivery that failed once and is to be tried again. */
async function failingHook(workspace: Workspace) {
  const box = newBox("status=500");
  const { id } = (await subscribe(workspace, { target_url: box })).body.data;
  await createContact(workspace);
  await waitForEnds(id, 1);
  return { id: id as string, box };
}

async function hooksOf(workspace: Workspace): Promise<string[]> {
  const { data } = (await workspace.send("GET", HOOKS)).body;
  return data.map(({ id }: { id: string }) => id);
}

describe("a hook", () => {
  it("for which every attempt failed for five days is gone, and what waits for it ends", async () => {
    const workspace = await createWorkspace();
    const { id, box } = await failingHook(workspace);
    const since = await failingSince(id);
    expect(since).toBeGreaterThan(Date.now() - 60_000);
    await failFor(id, 5 * DAY - 60_000);
    await tryAgain(workspace, id);
    await waitForEnds(id, 2);
    expect(await hooksOf(workspace)).toEqual([id]);
    await failFor(id, 5 * DAY + 1);
    await tryAgain(workspace, id);
    await vi.waitFor(async () => expect(await hooksOf(workspace)).toEqual([]));
    const statuses = "SELECT status, next_attempt_at FROM target_deliveries WHERE target_id = ?";
    await vi.waitFor(async () => {
      const { results } = await env.DB.prepare(statuses).bind(id).all();
      expect(results).toEqual([{ status: "failed", next_attempt_at: null }]);
    });
    await createContact(workspace);
    expect(await receivedBy(box)).toHaveLength(3);
    expect((await subscribe(workspace, { target_url: box })).status).toBe(201);
  });

  it("that answers well in between has five days anew", async () => {
    const workspace = await createWorkspace();
    const { id } = await failingHook(workspace);
    await failFor(id, 4 * DAY);
    const well = newBox();
    await env.DB.prepare("UPDATE automation_hooks SET target_url = ? WHERE id = ?")
      .bind(well, id)
      .run();
    await tryAgain(workspace, id);
    await waitForReceived(well, 1);
    await waitForEnds(id, 2);
    expect(await failingSince(id)).toBeNull();
    expect(await hooksOf(workspace)).toEqual([id]);
  });

  it("that is asked for again has five days anew", async () => {
    const workspace = await createWorkspace();
    const { id, box } = await failingHook(workspace);
    await failFor(id, 5 * DAY + 1);
    const again = await subscribe(workspace, { target_url: box });
    expect([again.status, again.body.data.id]).toEqual([200, id]);
    await tryAgain(workspace, id);
    await waitForEnds(id, 2);
    expect(await hooksOf(workspace)).toEqual([id]);
  });

  it("that answers 410 is gone, but not for an attempt that the database knows the end of", async () => {
    const workspace = await createWorkspace();
    const { id } = (await subscribe(workspace, { target_url: newBox() })).body.data;
    const ended = (deliveryId: string): EndedAttempt => ({
      ...{ deliveryId, number: 1, eventId: newId(), event: "salesbot.contact.created" },
      ...{ channel: "all", test: false, status: "failed", startedAt: Date.now(), durationMs: 1 },
      ...{ statusCode: 410, error: "bad_status", stop: "gone" },
    });
    const note = (one: EndedAttempt) => {
      const ref = { workspaceId: workspace.id, id };
      return env.DB.batch(hookTargets.noting(workIn(workspace.id).db, ref, [one], Date.now()));
    };
    const brought = ended(newId());
    await env.DB.prepare(
      `INSERT INTO target_deliveries (target_id, id, workspace_id, target_kind, event_id, event, channel,
         test, status, attempts_count, created_at, attempts)
       VALUES (?1, ?2, ?3, 'hook', ?2, '', 'all', 0, 'failed', 1, 1, '{"1":{"durationMs":1}}')`,
    )
      .bind(id, brought.deliveryId, workspace.id)
      .run();
    await note(brought);
    expect(await hooksOf(workspace)).toEqual([id]);
    await note(ended(newId()));
    expect(await hooksOf(workspace)).toEqual([]);
  });
});
