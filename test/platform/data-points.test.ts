import { env as bindings } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { generateApiKey } from "../../src/access/keys/api-key.ts";
import { JOB_NAMES, runJobs } from "../../src/jobs.ts";
import type { Env } from "../../src/platform/config.ts";
import { writePoint } from "../../src/platform/data-points.ts";
import { CONTACTS, createContact } from "../support/contacts.ts";
import { faulting, OVERLOADED } from "../support/faulting.ts";
import { operate, send } from "../support/http.ts";
import { loggedLines, secretIn } from "../support/logs.ts";
import { deliver, tick, workIn } from "../support/work.ts";
import { createActiveLink, createWorkspace, LINKS, sendAs } from "../support/workspace.ts";

const SECRET = "canary-4712";

interface Point {
  indexes: string[];
  blobs: string[];
  doubles: number[];
}

function withMetrics(writeDataPoint: (point: Point) => void): Env {
  return { ...bindings, METRICS: { writeDataPoint } } as unknown as Env;
}

/** Bindings whose METRICS keeps what is written. */
function recording(): { env: Env; points: Point[] } {
  const points: Point[] = [];
  return { env: withMetrics((point) => points.push(point)), points };
}

/** Bindings whose METRICS takes nothing. */
function refusing(): Env {
  return withMetrics(() => {
    throw new Error("Analytics Engine is away.");
  });
}

function point(index: string, blobs: string[], [count, failed]: [number, number]): Point {
  return { indexes: [index], blobs, doubles: [expect.any(Number), count, failed] };
}

/** Wake-ups of events that are not there: nothing is to be done. */
function wakeUps(count: number): object[] {
  const workspace = crypto.randomUUID();
  return Array.from({ length: count }, () => ({ v: 1, workspace, event: crypto.randomUUID() }));
}

/** Clicks on links that are not there, as a queue has them. */
function clicks(count: number): object[] {
  const workspace = crypto.randomUUID();
  return Array.from({ length: count }, () => ({
    ...{ v: 1, workspace, id: crypto.randomUUID(), agents: ["x"] },
    clicks: [[crypto.randomUUID(), 3_600_000, 0, "", 0, "", 1]],
  }));
}

describe("a data point of an API request", () => {
  it("tells its operation, whose it is, its status and its error code", async () => {
    const { id, send: sendIn } = await createWorkspace();
    const { env, points } = recording();
    await sendIn("GET", LINKS, { env });
    await sendIn("GET", `${LINKS}?limit=0`, { env });
    await operate("GET", "/workspaces", undefined, { env });
    await send(LINKS, { env });
    await send("/api/v1/nothing", { env });
    expect(points).toEqual([
      point(id, ["request", "listLinks", id, "200", ""], [1, 0]),
      point(id, ["request", "listLinks", id, "422", "validation_failed"], [1, 0]),
      point("listWorkspaces", ["request", "listWorkspaces", "", "200", ""], [1, 0]),
      point("listLinks", ["request", "listLinks", "", "401", "unauthenticated"], [1, 0]),
      point("request", ["request", "", "", "404", expect.any(String)], [1, 0]),
    ]);
  });

  it("says that it failed when that is our fault", async () => {
    const { id, send: sendIn } = await createWorkspace();
    const { env, points } = recording();
    const broken = faulting("D1_ERROR: disk I/O error", env);
    expect((await sendIn("GET", LINKS, { env: broken.env })).status).toBe(500);
    expect(points).toEqual([point(id, ["request", "listLinks", id, "500", "internal"], [1, 1])]);
  });

  it("is not at the index of a workspace whose key somebody made up", async () => {
    const { id } = await createWorkspace();
    const { env, points } = recording();
    expect((await sendAs(generateApiKey(id), "GET", LINKS, { env })).status).toBe(401);
    expect(points).toEqual([
      point("listLinks", ["request", "listLinks", "", "401", "unauthenticated"], [1, 0]),
    ]);
  });

  it("holds nothing that anybody sent, and no id of a path", async () => {
    const workspace = await createWorkspace({ name: SECRET });
    const { env, points } = recording();
    const contact = await createContact(workspace, { name: SECRET, email: "ada@person.example" });
    await workspace.send("GET", `${CONTACTS}/${contact.id}`, { env });
    await workspace.send("POST", CONTACTS, { env, body: { name: SECRET, email: `${SECRET}@` } });
    await workspace.send("POST", CONTACTS, { env, body: `{"name": "${SECRET}", ` });
    await workspace.send("GET", `${CONTACTS}?email=ada@person.example&cursor=${SECRET}`, { env });
    await send(`/api/v1/${SECRET}?token=${SECRET}`, { env });
    await send(LINKS, { env, headers: { Authorization: `Bearer osk_${SECRET.repeat(6)}` } });
    await operate("GET", `/workspaces/${workspace.id}/usage`, undefined, { env });
    const written = JSON.stringify(points);
    expect(points).toHaveLength(7);
    expect([secretIn(written), written.includes(contact.id)]).toEqual([undefined, false]);
    expect(written).not.toContain("/");
    expect(written).not.toContain(workspace.key.slice(-4));
  });

  it("is none of a visit's", async () => {
    const { slug } = await createActiveLink(await createWorkspace());
    const { env, points } = recording();
    expect((await send(`/${slug}`, { env })).status).toBe(302);
    expect((await send(`/${crypto.randomUUID()}`, { env })).status).toBe(404);
    expect(points).toEqual([]);
  });
});

describe("a data point of a job", () => {
  it("is one for each of a minute", async () => {
    const { env, points } = recording();
    await tick(env);
    const jobs = points.filter(({ blobs }) => blobs[0] === "job");
    expect(jobs.map(({ blobs }) => blobs[1]).sort()).toEqual([...JOB_NAMES].sort());
    expect(jobs).toContainEqual(
      point("check_settings", ["job", "check_settings", "", "done", ""], [1, 0]),
    );
  });

  const fails = (message: string) => async () => {
    throw new Error(message);
  };
  const does = async () => undefined;

  it("says that it failed", async () => {
    const { env, points } = recording();
    const work = workIn(crypto.randomUUID(), { env });
    await runJobs(work, { fails: fails("It broke."), does });
    expect(points).toHaveLength(2);
    expect(points).toContainEqual(point("fails", ["job", "fails", "", "failed", ""], [1, 1]));
    expect(points).toContainEqual(point("does", ["job", "does", "", "done", ""], [1, 0]));
  });

  it("says that it was skipped, as the database had too much to do", async () => {
    const { env, points } = recording();
    const jobs = { overloads: fails(OVERLOADED), a: does, b: does, c: does, d: does };
    await runJobs(workIn(crypto.randomUUID(), { env }), jobs);
    expect(points).toHaveLength(5);
    // Three may have begun beside it.
    const skipped = points.find(({ blobs }) => blobs[3] === "skipped");
    const name = skipped?.indexes[0] ?? "";
    expect(skipped).toEqual(point(name, ["job", name, "", "skipped", ""], [1, 0]));
  });
});

describe("a data point of a queue's batch", () => {
  const of = (queue: string, outcome: string, counts: [number, number]) =>
    point(queue, ["queue_batch", queue, "", outcome, ""], counts);

  it("counts its messages, and those that failed", async () => {
    const { env, points } = recording();
    await deliver("signpost-events", wakeUps(3), { env });
    await deliver("signpost-events-staging", [...wakeUps(2), "of no shape"], { env });
    expect(points).toEqual([
      of("signpost-events", "done", [3, 0]),
      of("signpost-events-staging", "failed", [3, 1]),
    ]);
  });

  it("is one of those that were taken as one, and one of the rest", async () => {
    const { env, points } = recording();
    await deliver("signpost-clicks", clicks(4), { env });
    await deliver("signpost-clicks", [...clicks(2), "of no shape"], { env });
    expect(points).toEqual([
      of("signpost-clicks", "done", [4, 0]),
      of("signpost-clicks", "done", [2, 0]),
      of("signpost-clicks", "failed", [1, 1]),
    ]);
  });

  it("says that all failed where the database had too much to do, and so does its line", async () => {
    const { env, points } = recording();
    const before = loggedLines().length;
    const overloaded = faulting(OVERLOADED, env);
    const { retried } = await deliver("signpost-clicks", clicks(4), { env: overloaded.env });
    expect(retried).toHaveLength(4);
    expect(points).toEqual([of("signpost-clicks", "failed", [4, 4])]);
    const lines = loggedLines().slice(before).join("\n");
    expect(lines).toMatch(/"queue_batch","queue":"signpost-clicks","messages":4,"failed":4/);
  });
});

describe("a data point that cannot be written", () => {
  it("changes no answer, no job and no message, and is told once", async () => {
    const { send: sendIn } = await createWorkspace();
    const env = refusing();
    const before = loggedLines().length;
    const [usual, without] = [await sendIn("GET", LINKS), await sendIn("GET", LINKS, { env })];
    expect([without.status, without.body]).toEqual([usual.status, usual.body]);
    let ran = 0;
    const job = async () => void ran++;
    await runJobs(workIn(crypto.randomUUID(), { env }), { first: job, second: job });
    const { acked, retried } = await deliver("signpost-events", wakeUps(2), { env });
    expect([ran, acked.length, retried]).toEqual([2, 2, []]);
    const lines = loggedLines().slice(before);
    expect(lines.filter((line) => line.includes('"data_points_lost"'))).toEqual([
      expect.stringContaining("Analytics Engine is away."),
    ]);
    expect(lines.filter((line) => line.includes('"job_failed"'))).toEqual([]);
  });

  it("is not tried where METRICS is not bound", async () => {
    const before = loggedLines().length;
    const { send: sendIn } = await createWorkspace();
    const env = { ...bindings, METRICS: undefined } as unknown as Env;
    expect((await sendIn("GET", LINKS, { env })).status).toBe(200);
    expect((await deliver("signpost-events", wakeUps(1), { env })).acked).toHaveLength(1);
    expect(loggedLines().slice(before).join()).not.toContain("data_points_lost");
  });
});

it("a data point keeps to Analytics Engine's limits: 96 bytes an index, and whole characters", () => {
  const { env, points } = recording();
  const name = `a${"ü".repeat(100)}`;
  writePoint(env, { event: "job", name, outcome: "done", milliseconds: 1, failed: 0 });
  const cut = `a${"ü".repeat(47)}`;
  expect(points).toEqual([
    { indexes: [cut], blobs: ["job", cut, "", "done", ""], doubles: [1, 1, 0] },
  ]);
  expect(new TextEncoder().encode(cut).length).toBe(95);
});
