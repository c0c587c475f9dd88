import { describe, expect, it } from "vitest";
import {
  createLiveEndpoint,
  env,
  laneOf,
  newBox,
  publish,
  waitForDelivery,
  waitForReceived,
} from "../support/webhooks.ts";
import { createWorkspace } from "../support/workspace.ts";

const EXHAUSTED = { event: "workspace.delivery.exhausted", channel: "all" };

describe("a delivery whose payload is gone before it could be sent", () => {
  it.each([
    ["is told to its owner when it waited too long", false, 1],
    ["is told to nobody when its subject was erased", true, 0],
  ])("%s", async (_, isErased, told) => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(
      workspace,
      newBox("status=503&header=Retry-After:900"),
    );
    await createLiveEndpoint(workspace, undefined, [EXHAUSTED]);
    await publish(workspace);
    await waitForReceived(endpoint.box, 1);
    await waitForDelivery(workspace, endpoint, ({ attempts }) => attempts[0]?.error != null);
    const run = (sql: string, ...bound: unknown[]) =>
      env.DB.prepare(sql)
        .bind(workspace.id, ...bound)
        .run();
    await run("UPDATE events SET data = NULL, subject = 'somebody' WHERE workspace_id = ?");
    if (isErased) {
      await run(
        `INSERT INTO erasures (subject, workspace_id, place, position, due_at, created_at, finished_at)
         VALUES ('somebody', ?, 2, '', 0, 0, 0)`,
      );
    }
    await run(
      "UPDATE target_deliveries SET next_attempt_at = ?2 WHERE workspace_id = ?1",
      Date.now(),
    );
    await laneOf(workspace, { kind: "endpoint", id: endpoint.id }).wake();
    const { attempts } = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "failed",
    );
    expect(attempts.at(-1)?.error).toBe("payload_purged");
    const exhausted = await env.DB.prepare(
      "SELECT count(*) AS n FROM events WHERE workspace_id = ? AND type = ?",
    )
      .bind(workspace.id, EXHAUSTED.event)
      .first("n");
    expect(exhausted).toBe(told);
  });
});
