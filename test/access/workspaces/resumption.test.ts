import { describe, expect, it } from "vitest";
import { resumeParked } from "../../../src/access/workspaces/resumption.ts";
import { operate } from "../../support/http.ts";
import { env } from "../../support/webhooks.ts";
import { workIn } from "../../support/work.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

/** A workspace that was suspended and is active again; nothing of it was parked. */
async function createResumed(): Promise<Workspace> {
  const workspace = await createWorkspace();
  for (const status of ["suspended", "active"])
    await operate("PATCH", `/workspaces/${workspace.id}`, { status });
  return workspace;
}

async function isWaiting({ id }: Workspace): Promise<boolean> {
  const query = env.DB.prepare("SELECT resumed_at AS at FROM workspaces WHERE id = ?").bind(id);
  return (await query.first("at")) !== null;
}

/** The job of a minute, where a workspace has so much that was parked, of one kind. */
async function runWith(workspace: Workspace, parked: { left: number }): Promise<number[]> {
  const slices: number[] = [];
  await resumeParked(workIn(workspace.id), [
    async ({ workspaceId }, { limit }) => {
      if (workspaceId !== workspace.id) return 0;
      const slice = Math.min(limit, parked.left);
      parked.left -= slice;
      slices.push(slice);
      return slice;
    },
  ]);
  return slices;
}

describe("a workspace that is active again", () => {
  it("resumes in slices, a few a minute, until nothing is left", async () => {
    const workspace = await createResumed();
    const parked = { left: 2300 };
    expect(await runWith(workspace, parked)).toEqual([500, 500, 500, 500]);
    expect(await isWaiting(workspace)).toBe(true);
    expect(await runWith(workspace, parked)).toEqual([300, 0]);
    expect(await isWaiting(workspace)).toBe(false);
    expect(await runWith(workspace, parked)).toEqual([]);
  });

  it("that cannot be resumed keeps no other waiting, and is tried again", async () => {
    const [faulty, other] = [await createResumed(), await createResumed()];
    await resumeParked(workIn(faulty.id), [
      async ({ workspaceId }) => {
        if (workspaceId === faulty.id) throw new Error("as if D1 had failed");
        return 0;
      },
    ]);
    expect([await isWaiting(faulty), await isWaiting(other)]).toEqual([true, false]);
  });

  it("and is suspended once more meanwhile resumes nothing", async () => {
    const workspace = await createResumed();
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "suspended" });
    expect(await runWith(workspace, { left: 1 })).toEqual([]);
    await operate("PATCH", `/workspaces/${workspace.id}`, { status: "active" });
    expect(await runWith(workspace, { left: 1 })).toEqual([1, 0]);
  });
});
