import { describe, expect, it } from "vitest";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  newBox,
  publish,
  waitForDelivery,
  waitForReceived,
} from "../support/webhooks.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const DAY = 24 * 60 * 60 * 1000;

/** As if every attempt had failed for more than five days. */
function failLong({ id }: LiveEndpoint): Promise<unknown> {
  return env.DB.prepare("UPDATE webhook_endpoints SET failing_since = ? WHERE id = ?")
    .bind(Date.now() - 6 * DAY, id)
    .run();
}

function waitForAttempt(workspace: Workspace, endpoint: LiveEndpoint) {
  return waitForDelivery(
    workspace,
    endpoint,
    ({ attempts }) => attempts[0]?.duration_ms !== null && attempts.length > 0,
  );
}

const read = async (workspace: Workspace, { path }: LiveEndpoint) =>
  (await workspace.send("GET", path)).body.data;

describe("an endpoint that had failed for five days", () => {
  it("loses no delivery when it is switched on again during an attempt that then fails", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("wait=3000&status=503"));
    await failLong(endpoint);
    await publish(workspace);
    await waitForReceived(endpoint.box, 1);
    for (const enabled of [false, true])
      await change(workspace, "PATCH", endpoint.path, { enabled });
    const delivery = await waitForAttempt(workspace, endpoint);
    expect(await read(workspace, endpoint)).toMatchObject({ enabled: true, disabled_reason: null });
    expect(delivery).toMatchObject({ status: "pending", attempts_count: 1 });
    expect(delivery.next_attempt_at).not.toBeNull();
  });

  it("is not paused by the first failure of another URL", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=500"));
    await failLong(endpoint);
    const url = newBox("status=503");
    await change(workspace, "PATCH", endpoint.path, { url });
    await publish(workspace);
    await waitForReceived(url, 1);
    expect(await waitForAttempt(workspace, endpoint)).toMatchObject({ status: "pending" });
    expect(await read(workspace, endpoint)).toMatchObject({ enabled: true, disabled_reason: null });
  });

  it("is paused by the next failure of the same URL, whatever else of it is changed", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("status=503"));
    await failLong(endpoint);
    await change(workspace, "PATCH", endpoint.path, { name: "Other", url: endpoint.box });
    await publish(workspace);
    const delivery = await waitForDelivery(
      workspace,
      endpoint,
      ({ status }) => status === "failed",
    );
    expect(delivery.attempts.map(({ error }) => error)).toEqual(["bad_status", "endpoint_paused"]);
    expect(await read(workspace, endpoint)).toMatchObject({
      enabled: false,
      disabled_reason: "failing",
    });
  });
});

describe("an endpoint that leads elsewhere", () => {
  it("is not paused by what its former URL answers late", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace, newBox("wait=3000&status=410"));
    await publish(workspace);
    await waitForReceived(endpoint.box, 1);
    const url = newBox();
    await change(workspace, "PATCH", endpoint.path, { url });
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "failed");
    expect(await read(workspace, endpoint)).toMatchObject({ enabled: true, disabled_reason: null });
    await publish(workspace);
    await waitForReceived(url, 1);
  });
});
