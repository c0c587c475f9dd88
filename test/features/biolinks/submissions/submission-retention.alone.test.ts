import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { purgeSubmissions } from "../../../../src/features/biolinks/submissions/submission-erasure.service.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { newSubmission, SUBMISSIONS, storeSubmissions } from "../../../support/submissions.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const DAY = 24 * 60 * 60_000;

describe("the job", () => {
  it("deletes what is due, whatever is not due stands, and goes on where it died", async () => {
    const workspace = await createWorkspace();
    const past = Date.now() - DAY;
    const due = Array.from({ length: 450 }, () => newSubmission(workspace, { dueAt: past }));
    const kept = newSubmission(workspace, { dueAt: Date.now() + DAY });
    await storeSubmissions([...due, kept]);
    const countOf = () =>
      env.DB.prepare("SELECT count(*) AS n FROM submissions WHERE workspace_id = ?")
        .bind(workspace.id)
        .first<number>("n");
    const broken = faulting(CONNECTION_LOST);
    let batches = 0;
    broken.faultOf = (what) => (what === "batch" && ++batches === 2 ? "undone" : undefined);
    const dying = { ...workIn(workspace.id), env: broken.env, db: sharedDatabase(broken.env) };
    await expect(purgeSubmissions(dying)).rejects.toThrow(CONNECTION_LOST);
    await purgeSubmissions(workIn(workspace.id));
    expect(await countOf()).toBe(1);
    expect((await workspace.send("GET", `${SUBMISSIONS}/${kept.id}`)).status).toBe(200);
  });
});
