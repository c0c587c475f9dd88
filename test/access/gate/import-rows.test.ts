import { afterEach, describe, expect, it, vi } from "vitest";
import { CONTACTS } from "../../support/contacts.ts";
import { claimAt, countedBy, gateOf, linkCreation } from "../../support/gate.ts";
import {
  createWorkspace,
  issueKey,
  newIdempotencyKey,
  type Workspace,
} from "../../support/workspace.ts";

afterEach(() => {
  vi.useRealTimers();
});

const rows = (count: number) => Array.from({ length: count }, () => ({ name: "" }));

function importOf(workspace: Workspace, contacts: unknown, headers = {}) {
  return workspace.send("POST", `${CONTACTS}/import`, { body: { contacts }, headers });
}

describe("the rows that a workspace imports", () => {
  it("are 20,000 a minute: then 429 says when to come again, and nothing is written", async () => {
    const workspace = await createWorkspace();
    // 39 imports' worth, at the gate itself: each is 500 rows.
    for (let made = 0; made < 39; made++) {
      const asked = await linkCreation(workspace.key, newIdempotencyKey(), { importRows: 500 });
      await claimAt(gateOf(workspace.id), workspace.id, asked);
    }
    expect((await importOf(workspace, rows(501))).status).toBe(422);
    expect((await importOf(workspace, rows(400))).status).toBe(200);
    const refused = await importOf(workspace, [{ name: "Ada" }, ...rows(100)]);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(61);
    // What fits still passes, and so does all that imports nothing.
    expect((await importOf(workspace, rows(100))).status).toBe(200);
    expect((await importOf(workspace, rows(1))).status).toBe(429);
    const contacts = await workspace.send("GET", CONTACTS);
    expect(contacts.status).toBe(200);
    expect(contacts.body.data.some(({ name }: { name: string }) => name === "Ada")).toBe(false);
    expect(await countedBy(workspace.id, "import-rows")).toBe(20_000);
  });

  it("are waited for where the key has had its requests too", async () => {
    const start = Date.UTC(2026, 10, 21, 12);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(start);
    const workspace = await createWorkspace();
    const other = await issueKey(workspace.id);
    for (let sent = 0; sent < 60; sent++) await workspace.send("GET", CONTACTS);
    vi.setSystemTime(start + 30_000);
    for (let made = 0; made < 40; made++) {
      const asked = await linkCreation(other.key, newIdempotencyKey(), { importRows: 500 });
      await claimAt(gateOf(workspace.id), workspace.id, asked);
    }
    const answerAt = async (seconds: number) => {
      vi.setSystemTime(start + seconds * 1000);
      const { status, headers } = await importOf(workspace, rows(1));
      return [status, headers.get("Retry-After")];
    };
    // So many rows are counted by the second.
    expect(await answerAt(50)).toEqual([429, "41"]);
    expect(await answerAt(90)).toEqual([429, "1"]);
    expect(await answerAt(91)).toEqual([200, null]);
  });

  it("count once where the request is the same again", async () => {
    const workspace = await createWorkspace();
    const headers = { "Idempotency-Key": newIdempotencyKey() };
    for (const replayed of [null, "true"]) {
      const answer = await importOf(workspace, rows(7), headers);
      expect(answer.headers.get("Idempotency-Replayed")).toBe(replayed);
    }
    expect(await countedBy(workspace.id, "import-rows")).toBe(7);
  });
});
