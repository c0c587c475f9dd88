import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { honeypotName } from "../../../../src/features/biolinks/pages/blocks/form-names.ts";
import { purgeSubmissions } from "../../../../src/features/biolinks/submissions/submission-erasure.service.ts";
import { sharedDatabase } from "../../../../src/platform/db/client.ts";
import { CONNECTION_LOST, faulting } from "../../../support/faulting.ts";
import { createForm, fillIn } from "../../../support/forms.ts";
import { newSubmission, SUBMISSIONS, storeSubmissions } from "../../../support/submissions.ts";
import { workIn } from "../../../support/work.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const DAY = 24 * 60 * 60_000;

afterEach(() => {
  vi.useRealTimers();
});

describe("the job", () => {
  it("deletes spam after thirty days, and the rest when its form says", async () => {
    const workspace = await createWorkspace();
    const start = Date.now();
    const inDays = (days: number) =>
      vi.useFakeTimers({ toFake: ["Date"], now: start + days * DAY - 1000 });
    const retention = { retention_days: 40 };
    const form = await createForm(workspace, retention, { spam: { block_words: ["casino"] } });
    const trap = honeypotName(form.block, ["email", "wish"]);
    await fillIn(form, { email: "spam@example.com", [trap]: "x" });
    await fillIn(form, { email: "held@example.com", wish: "casino" });
    await fillIn(form, { email: "ada@example.com" });
    const left = async (days: number) => {
      inDays(days);
      await purgeSubmissions(workIn(workspace.id));
      const { data } = (await workspace.send("GET", SUBMISSIONS)).body;
      return data.map(({ status }: { status: string }) => status);
    };
    expect(await left(30)).toEqual(["accepted", "held", "spam"]);
    expect(await left(30.1)).toEqual(["accepted", "held"]);
    expect(await left(40)).toEqual(["accepted", "held"]);
    expect(await left(40.1)).toEqual([]);
  });

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
