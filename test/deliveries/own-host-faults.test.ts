import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { leadsToOwnHost } from "../../src/features/biolinks/domains/own-hosts.ts";
import type { Env } from "../../src/platform/config.ts";
import { databaseOf } from "../../src/platform/db/client.ts";
import { CONNECTION_LOST, faulting, OVERLOADED } from "../support/faulting.ts";
import { createLiveEndpoint, env, laneOf, publish, waitForReceived } from "../support/webhooks.ts";
import { workIn } from "../support/work.ts";
import { createWorkspace } from "../support/workspace.ts";

const EXHAUSTED = { event: "workspace.delivery.exhausted", channel: "all" };
const isHostLookUp = (sql: string) => /from "domains"/.test(sql) && /verified"? = 1/.test(sql);

/** Bindings whose database faults the first `times` times that a host is looked up. */
function faultingFor(times: number, message: string) {
  const faulty = faulting(message, env);
  let asked = 0;
  faulty.faultOf = (what) => (isHostLookUp(what) && ++asked <= times ? "undone" : undefined);
  return { env: faulty.env, asked: () => asked };
}

afterEach(() => void vi.useRealTimers());

function ask(given: Env): Promise<boolean> {
  const id = crypto.randomUUID();
  const work = workIn(id, { env: given, db: databaseOf(given, id) });
  return leadsToOwnHost(work, "https://a.example/");
}

describe("a database that cannot say whether a host is the platform's own", () => {
  it("costs a delivery none of its attempts, and not the last one", async () => {
    const workspace = await createWorkspace();
    const endpoint = await createLiveEndpoint(workspace);
    await createLiveEndpoint(workspace, undefined, [EXHAUSTED]);
    const lane = laneOf(workspace, { kind: "endpoint", id: endpoint.id });
    await publish(workspace);
    await waitForReceived(endpoint.box, 1);
    const state = () =>
      env.DB.prepare(
        "SELECT status, attempts_count AS attempts FROM target_deliveries WHERE target_id = ?",
      )
        .bind(endpoint.id)
        .first();
    await vi.waitFor(async () =>
      expect(await state()).toEqual({ status: "delivered", attempts: 1 }),
    );
    await env.DB.prepare(
      `UPDATE target_deliveries SET status = 'pending', attempts_count = 7, attempts = '{}',
         next_attempt_at = ?2, delivered_at = NULL WHERE target_id = ?1`,
    )
      .bind(endpoint.id, Date.now())
      .run();
    const { env: busy, asked } = faultingFor(1, OVERLOADED);
    await runInDurableObject(lane.stub, async (instance) => {
      Object.defineProperty(instance, "env", { value: busy, configurable: true });
      const lane = instance as unknown as { alarm(): Promise<void> };
      await lane.alarm();
      expect([asked(), await state()]).toEqual([1, { status: "pending", attempts: 7 }]);
      await lane.alarm();
    });
    await waitForReceived(endpoint.box, 2);
    await vi.waitFor(async () =>
      expect(await state()).toEqual({ status: "delivered", attempts: 8 }),
    );
    const told = "SELECT count(*) AS n FROM events WHERE workspace_id = ? AND type = ?";
    const count = await env.DB.prepare(told).bind(workspace.id, EXHAUSTED.event).first("n");
    expect(count).toBe(0);
  });

  it("is asked again if it lost the question, and otherwise believed as it was", async () => {
    const lost = faultingFor(1, CONNECTION_LOST);
    expect([await ask(lost.env), lost.asked()]).toEqual([false, 2]);
    const faulty = faulting(OVERLOADED, env);
    const refuse = (what: string) => (isHostLookUp(what) ? "undone" : undefined);
    faulty.faultOf = refuse;
    await expect(ask(faulty.env)).rejects.toThrow("Failed query");
    faulty.faultOf = () => undefined;
    expect(await ask(faulty.env)).toBe(false);
    faulty.faultOf = refuse;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    const asked = faulty.asked;
    expect(await ask(faulty.env)).toBe(false);
    expect(faulty.asked).toBe(asked + 1);
  });
});
