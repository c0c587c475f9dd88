import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { findOverdueTargets } from "../../src/deliveries/sweep.repository.ts";
import { wakeOverdueLanes } from "../../src/deliveries/sweep.ts";
import type { Env } from "../../src/platform/config.ts";
import { sharedDatabase } from "../../src/platform/db/client.ts";
import { leastIdAt } from "../../src/platform/ids.ts";
import { listenToCosts } from "../support/noted-statements.ts";
import { workIn } from "../support/work.ts";

const db = sharedDatabase(env as unknown as Env);
const WORKSPACE = crypto.randomUUID();

async function addDelivery(
  target: string,
  dueAt: number,
  kind = "endpoint",
  status = "pending",
): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO target_deliveries (id, workspace_id, target_kind, target_id, event_id, event, channel,
       test, status, attempts_count, next_attempt_at, created_at)
     VALUES (?1, ?2, ?4, ?3, ?1, 'publishing.post.published', 'all', 0, ?6, 1, ?5, 1)`,
  )
    .bind(crypto.randomUUID(), WORKSPACE, target, kind, dueAt, status)
    .run();
}

/** Recoveries of a target that wait. */
async function recover(target: string, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < ?3)
     INSERT INTO recoveries (id, workspace_id, target_id, since, position, resent, created_at)
     SELECT ?2 || n, ?1, ?2, 0, '', 0, 1 FROM each`,
  )
    .bind(WORKSPACE, target, count)
    .run();
}

describe("the search for lanes that sleep although something is overdue", () => {
  it("comes by every target in turn, however many are overdue at one, or wait in vain", async () => {
    for (let made = 0; made < 50; made++) await addDelivery("t-000", made);
    for (let made = 1; made <= 20; made++) {
      await addDelivery(`t-${String(made).padStart(3, "0")}`, made % 2 ? 1000 : 1e15);
    }
    await addDelivery("t-011", 1001, "later_kind");
    const found = new Set<string>();
    let [after, sweeps] = ["", 0];
    do {
      const { overdue, last } = await findOverdueTargets(db, 2000, after, 4);
      expect(overdue.length).toBeLessThanOrEqual(4);
      for (const target of overdue) found.add(`${target.workspaceId} ${target.kind} ${target.id}`);
      after = last;
      sweeps++;
    } while (after !== "");
    const odd = Array.from({ length: 10 }, (_, at) => `t-${String(2 * at + 1).padStart(3, "0")}`);
    const expected = ["t-000", ...odd].map((id) => `${WORKSPACE} endpoint ${id}`);
    expect([...found].sort()).toEqual(expected);
    expect(sweeps).toBe(6);
  });

  it("finds recoveries that wait by their target, however many wait for one", async () => {
    await recover("t-100", 1000);
    await recover("t-101", 1);
    let read = 0;
    const stop = listenToCosts(({ sql, rowsRead }) => {
      if (sql.includes("recoveries")) read += rowsRead;
    });
    const { overdue } = await findOverdueTargets(db, -1, "t-020", 10);
    stop();
    expect(overdue.map(({ workspaceId, kind, id }) => [workspaceId, kind, id])).toEqual([
      [WORKSPACE, "endpoint", "t-100"],
      [WORKSPACE, "endpoint", "t-101"],
    ]);
    expect(read).toBeLessThanOrEqual(20);
  });

  it.each([1, 2])(
    "goes on behind the first of what it cut off, be that deliveries, recoveries or what is deferred: %i each",
    async (limit) => {
      const prefix = `t-3${limit}`;
      await recover(`${prefix}0`, 2);
      await recover(`${prefix}1`, 1);
      for (const at of [3, 4]) await addDelivery(`${prefix}${at}`, 1, "endpoint", "deferred");
      const found: string[] = [];
      let after = prefix;
      for (let sweep = 0; sweep < 10; sweep++) {
        const { overdue, last } = await findOverdueTargets(db, -1, after, limit);
        found.push(...overdue.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
        after = last;
        if (after === "") break;
      }
      expect(after).toBe("");
      expect([...new Set(found)].sort()).toEqual([0, 1, 3, 4].map((at) => `${prefix}${at}`));
    },
  );

  it("comes by those that are older than its first place in the same minute", async () => {
    const twoYearsAgo = Date.now() - 2 * 365 * 24 * 60 * 60_000;
    const [delivered, recovered] = [leastIdAt(twoYearsAgo), leastIdAt(twoYearsAgo + 1)];
    await addDelivery(delivered, 1000);
    await env.DB.prepare(
      `INSERT INTO recoveries (id, workspace_id, target_id, since, position, resent, created_at)
       VALUES (?1, ?2, ?1, 0, '', 0, 1)`,
    )
      .bind(recovered, WORKSPACE)
      .run();
    const woken: string[] = [];
    const wake = async ({ target }: { target: { id: string } }) => void woken.push(target.id);
    const fresh = { ...env, DELIVERY_LANE: { getByName: () => ({ wake }) } } as unknown as Env;
    const random = vi.spyOn(Math, "random").mockReturnValue(0.01);
    await wakeOverdueLanes(workIn(WORKSPACE, { env: fresh }));
    random.mockRestore();
    expect(woken).toEqual(expect.arrayContaining([delivered, recovered]));
    expect(new Set(woken).size).toBe(woken.length);
  });
});
