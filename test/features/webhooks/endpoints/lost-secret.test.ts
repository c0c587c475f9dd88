import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { endpointTargets } from "../../../../src/features/webhooks/endpoints/endpoints.ports.ts";
import { randomBytes } from "../../../../src/platform/bytes.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { loggedLines } from "../../../support/logs.ts";
import {
  change,
  createLiveEndpoint,
  env,
  type LiveEndpoint,
  POST_PUBLISHED,
  publish,
  receivedBy,
  waitForDelivery,
  waitForReceived,
} from "../../../support/webhooks.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

/** As after a change of ENCRYPTION_KEY whose old one was thrown away. */
async function loseSecret({ id }: LiveEndpoint, column = "secret"): Promise<void> {
  const update = `UPDATE webhook_endpoints SET ${column} = ?, failing_since = 1 WHERE id = ?`;
  await env.DB.prepare(update).bind(randomBytes(70), id).run();
}

describe("an endpoint whose signing secret no key opens", () => {
  it("is paused by its first delivery, which ends and says why; nothing is sent unsigned", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await loseSecret(endpoint);
    const before = (await workspace.send("GET", endpoint.path)).body.data.revision;
    await publish(workspace);
    const ended = await waitForDelivery(workspace, endpoint, ({ status }) => status === "failed");
    expect(ended).toMatchObject({ attempts_count: 1, next_attempt_at: null });
    expect(ended.attempts).toMatchObject([{ error: "secret_unreadable", status_code: null }]);
    const paused = (await workspace.send("GET", endpoint.path)).body.data;
    expect(paused).toMatchObject({ enabled: false, disabled_reason: "secret_unreadable" });
    expect(paused.revision).not.toBe(before);
    expect(await receivedBy(endpoint.box)).toEqual([]);
    const told = loggedLines().filter((line) => line.includes(endpoint.id));
    expect(told.filter((line) => line.includes('"event":"secret_unreadable"'))).toHaveLength(1);
    expect(told.filter((line) => line.includes("delivery_faulted"))).toEqual([]);
  });

  it.each([false, true])("is mended by a rotation, immediate: %s", async (immediate) => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await loseSecret(endpoint);
    await publish(workspace);
    await waitForDelivery(workspace, endpoint, ({ status }) => status === "failed");
    const path = `${endpoint.path}/rotate-secret`;
    const rotated = await change(workspace, "POST", path, { immediate });
    expect(rotated.status).toBe(200);
    // Nothing is left of the old one that could sign for another day.
    expect(rotated.body.data).toMatchObject({
      enabled: true,
      disabled_reason: null,
      previous_secret_expires_at: null,
    });
    await change(workspace, "POST", `${endpoint.path}/test`, { event: POST_PUBLISHED.event });
    const [webhook] = await waitForReceived(endpoint.box, 1);
    const verify = () =>
      new Webhook(rotated.body.secret).verify(webhook?.body ?? "", webhook?.headers ?? {});
    expect(verify).not.toThrow();
  });

  it("stays on when it was rotated while an attempt with the lost secret was under way", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const beganAt = Date.now() - 60_000;
    const ref = { workspaceId: workspace.id, id: endpoint.id };
    const { db } = workIn(workspace.id);
    const note = async (startedAt: number) => {
      const ended = {
        ...{ deliveryId: newId(), number: 1, eventId: newId(), event: POST_PUBLISHED.event },
        ...{ channel: "all", test: false, status: "failed" as const, durationMs: 1 },
        ...{ statusCode: null, error: "secret_unreadable", stop: "secret_unreadable" as const },
        startedAt,
      };
      await env.DB.batch(endpointTargets.noting(db, ref, [ended], Date.now()));
      return (await workspace.send("GET", endpoint.path)).body.data.enabled;
    };
    expect(await note(beganAt)).toBe(true);
    expect(await note(Date.now() + 1000)).toBe(false);
  });

  it("is rotated in the middle of a rotation too, and before any delivery found out", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    const path = `${endpoint.path}/rotate-secret`;
    await change(workspace, "POST", path, {});
    await loseSecret(endpoint);
    expect((await change(workspace, "POST", path, {})).status).toBe(200);
  });

  it("that its owner had paused stays paused when it is rotated", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await change(workspace, "PATCH", endpoint.path, { enabled: false });
    await loseSecret(endpoint);
    const { body } = await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {});
    expect(body.data.enabled).toBe(false);
  });
});

it("a previous secret that no key opens is left out: the present one signs alone", async () => {
  const workspace = await createWorkspace();
  const endpoint = await createLiveEndpoint(workspace);
  const { body } = await change(workspace, "POST", `${endpoint.path}/rotate-secret`, {});
  await loseSecret(endpoint, "previous_secret");
  await publish(workspace);
  const [webhook] = await waitForReceived(endpoint.box, 1);
  const verify = () => new Webhook(body.secret).verify(webhook?.body ?? "", webhook?.headers ?? {});
  expect(verify).not.toThrow();
});
